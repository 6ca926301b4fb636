package goal

import "context"

// Adopt has a run that the goal did not fire judged as a contribution of it, once that run has ended. It changes nothing
// where the goal does not go on, or the run waits for a person. Refusal: CodeNotFound.
func (g *Goals) Adopt(ctx context.Context, id, runID string) error {
	leave, err := g.enter()
	if err != nil {
		return err
	}
	defer leave()
	release, err := g.take(ctx, id)
	if err != nil {
		return err
	}
	defer release()
	found, err := g.answered(ctx, runID)
	if err != nil || found == nil {
		return err
	}
	_, err = g.change(ctx, id, func(s *state) (*record, error) {
		if !s.active() {
			return nil, nil
		}
		r := &record{At: g.now(s.ahead), Judged: found}
		r.Closed = s.ending(*found, r.At)
		return r, nil
	})
	return err
}
