package openwop

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strconv"

	"github.com/openassay/assay/gen/openwopv1"
	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/wire"
)

// host is the target as one drive uses it: the protocol's operations, nothing more.
type host struct{ *scenarios.Conn }

// offers says whether the host lists every one of these fixture workflows. The
// list is a claim, not a proof: a listed fixture may still fail.
func (h host) offers(fixtures ...string) bool {
	var listed []string
	for _, f := range family(h.Discovery, "fixtures").Items() {
		listed = append(listed, f.String())
	}
	for _, f := range fixtures {
		if !slices.Contains(listed, f) {
			return false
		}
	}
	return true
}

// do sends a call and stops the drive where the host would not let us look:
// what it answers then says nothing about the question. A busy host is
// [wire.ErrBusy] already.
func (h host) do(ctx context.Context, call wire.Call) (*wire.Reply, error) {
	reply, err := h.Do(ctx, call)
	if err != nil {
		return nil, err
	}
	switch reply.Status {
	case http.StatusUnauthorized, http.StatusForbidden:
		return nil, scenarios.Block(fmt.Sprintf("%s %s answered HTTP %d: the host does not accept the credential", call.Method, call.Path, reply.Status),
			"give a key that may create and read runs with --key, ASSAY_KEY or --key-file")
	}
	return reply, nil
}

// run is one run on the host. Its creation may have been refused: then ID is "".
type run struct {
	host
	ID      string
	Created *wire.Reply
	gone    func()
}

// create asks for a run and notes that it has to be cancelled if it does not end by itself.
func (h host) create(ctx context.Context, label string, body openwopv1.CreateRunRequest) (*run, error) {
	reply, err := h.do(ctx, wire.Call{Method: http.MethodPost, Path: "/v1/runs", Body: body, Label: label})
	if errors.Is(err, wire.ErrNoAnswer) || errors.Is(err, context.Canceled) {
		h.Leave("perhaps a run of "+body.WorkflowID, func(context.Context, *wire.Client) error {
			return errors.New("its creation was not answered, so its id is not known")
		})
	}
	if err != nil {
		return nil, err
	}
	return h.adopt(reply), nil
}

// adopt takes a reply that may name a run: of create, of fork, of a seam.
func (h host) adopt(reply *wire.Reply) *run {
	r := &run{host: h, Created: reply, gone: func() {}}
	if id := reply.Text("/runId"); reply.Success() && id != "" {
		r.ID = id
		r.gone = h.Leave("run "+id, func(ctx context.Context, c *wire.Client) error {
			reply, err := c.Do(ctx, wire.Call{Method: http.MethodPost, Path: runPath(id) + "/cancel", Body: openwopv1.CancelRunRequest{}, Label: "clean up"})
			if err != nil {
				return err
			}
			switch reply.Status {
			case http.StatusNotFound, http.StatusConflict, http.StatusGone, http.StatusUnprocessableEntity: // there is nothing left to cancel
				return nil
			}
			if !reply.Success() {
				return fmt.Errorf("cancel answered HTTP %d", reply.Status)
			}
			return nil
		})
	}
	return r
}

func runPath(id string) string { return "/v1/runs/" + url.PathEscape(id) }

// snapshot reads the run once.
func (r *run) snapshot(ctx context.Context, label string) (*wire.Reply, error) {
	return r.do(ctx, wire.Call{Method: http.MethodGet, Path: runPath(r.ID), Label: label})
}

// ended waits for a terminal status.
func (r *run) ended(ctx context.Context) (wire.Wait, error) {
	w, err := r.reaches(ctx, "the run has ended", isTerminal)
	if w.Reached {
		r.gone()
	}
	return w, err
}

// suspended waits until the run waits for somebody, or has ended without doing so.
func (r *run) suspended(ctx context.Context) (wire.Wait, error) {
	w, err := r.reaches(ctx, "the run is suspended", func(status string) bool { return isWaiting(status) || isTerminal(status) })
	if w.Reached && isTerminal(w.Last.At("/status").String()) {
		w.Reached = false
		r.gone()
	}
	return w, err
}

// reaches looks at the snapshot until its status satisfies. The wait's Last is the whole snapshot.
func (r *run) reaches(ctx context.Context, what string, ok func(status string) bool) (wire.Wait, error) {
	return r.Await(ctx, what, func(ctx context.Context) (wire.Value, bool, error) {
		reply, err := r.snapshot(ctx, what)
		if err != nil {
			return wire.Value{}, false, err
		}
		v := reply.Value("")
		return v, ok(v.Key("status").String()), nil
	})
}

func isTerminal(status string) bool {
	return status == "completed" || status == "failed" || status == "cancelled"
}

func isWaiting(status string) bool {
	return status == "waiting-input" || status == "waiting-approval" || status == "waiting-external"
}

// log reads the whole event log by polling, page after page. The first call
// has no cursor, since sequence 0 cannot be asked for with one; later calls
// send the cursor under its present and its former name, because hosts read
// one or the other, and what comes twice counts once.
func (r *run) log(ctx context.Context, label string) (RunLog, error) {
	l := RunLog{RunID: r.ID, Created: r.Created.StatusValue(), ID: r.Created.Value("/runId")}
	if r.ID == "" {
		return l, nil
	}
	cursor := ""
	for page := 1; page <= maxPages; page++ {
		before := len(l.Events)
		if err := r.page(ctx, &l, cursor, fmt.Sprintf("%s, page %d", label, page)); err != nil {
			return l, err
		}
		if len(l.Events) == before {
			break
		}
		last, ok := l.Events[len(l.Events)-1].Key("sequence").Int()
		if !ok {
			break
		}
		cursor = "&lastSequence=" + strconv.FormatInt(last, 10) + "&since=" + strconv.FormatInt(last, 10)
	}
	if l.hasGap() { // a cursor that loses events is not the question here: read in full again
		return l, r.page(ctx, &l, "", label+", again in full")
	}
	return l, nil
}

// page adds one page of the log. A host that polls long holds the reply of a
// live run with nothing new for a second.
func (r *run) page(ctx context.Context, l *RunLog, cursor, label string) error {
	reply, err := r.do(ctx, wire.Call{Method: http.MethodGet, Path: runPath(r.ID) + "/events/poll?timeout=1" + cursor, Label: label})
	if err != nil {
		return err
	}
	if cursor == "" || !reply.Success() {
		l.Read = reply.StatusValue()
	}
	l.add(reply.Value("/events").Items())
	return nil
}

// maxPages bounds the reading of a log that never ends.
const maxPages = 200

// finish waits for the run's end and reads its log.
func (r *run) finish(ctx context.Context, label string) (RunLog, error) {
	if r.ID == "" {
		return r.log(ctx, label)
	}
	ended, err := r.ended(ctx)
	if err != nil {
		return RunLog{}, err
	}
	l, err := r.log(ctx, label)
	l.Ended = ended
	return l, err
}

// answer resolves the interrupt that the suspended run waits on. The prose
// knows a list of answers and the event schema a map; the list is tried where
// the map is refused (facts C34).
func (r *run) answer(ctx context.Context, suspended wire.Wait, text string) (*wire.Reply, error) {
	node, question, err := r.asked(ctx, suspended)
	if err != nil {
		return nil, err
	}
	reply, err := r.resolve(ctx, node, map[string]string{question: text})
	if err == nil && (reply.Status == http.StatusBadRequest || reply.Status == http.StatusUnprocessableEntity) {
		return r.resolve(ctx, node, []map[string]string{{"id": question, "answer": text}})
	}
	return reply, err
}

// asked finds the node that holds the interrupt, and the id of its question.
func (r *run) asked(ctx context.Context, suspended wire.Wait) (node, question string, err error) {
	var l RunLog
	if err := r.page(ctx, &l, "", "log while suspended"); err != nil {
		return "", "", err
	}
	node, question = suspended.Last.Key("currentNodeId").String(), "q1"
	if at := l.OfType(openwopv1.RunEventTypeNodeSuspended).Values; node == "" && len(at) > 0 {
		last := at[len(at)-1]
		node = firstText(last.Key("nodeId"), last.At("/payload/nodeId"))
	}
	if at := l.OfType(openwopv1.RunEventTypeInterruptRequested).Values; len(at) > 0 {
		if id := at[len(at)-1].At("/payload/data/questions/0/id").String(); id != "" {
			question = id
		}
	}
	return node, question, nil
}

func (r *run) resolve(ctx context.Context, node string, answers any) (*wire.Reply, error) {
	return r.do(ctx, wire.Call{Method: http.MethodPost, Path: runPath(r.ID) + "/interrupts/" + url.PathEscape(node), Label: "answer",
		Body: map[string]any{"resumeValue": map[string]any{"answers": answers}}})
}

func firstText(values ...wire.Value) string {
	for _, v := range values {
		if s := v.String(); s != "" {
			return s
		}
	}
	return ""
}
