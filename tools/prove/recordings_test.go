package prove_test

import (
	"encoding/json"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"

	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/observed"
	"github.com/openassay/assay/scenarios/wire"
	"github.com/openassay/assay/tools/internal/protocols"
	"github.com/openassay/assay/tools/prove"
)

// recorded returns all exchanges of a certification.
func recorded(t *testing.T, target protocols.Target, h prove.Host) (entries []wire.Entry) {
	t.Helper()
	var mu sync.Mutex
	keep := func(_ scenarios.Discovery, record scenarios.DriveRecord) {
		mu.Lock()
		defer mu.Unlock()
		entries = append(entries, record.Transcript.Entries...)
	}
	_, err := lab.Watch(t.Context(), h, scenarios.Options{Seed: 1, Depth: scenarios.Quick}, keep, target.Suites()...)
	if err != nil {
		t.Fatal(err)
	}
	return entries
}

// spoiled returns a recording with gaps: exchanges are missing, doubled and out of order, and streams and bodies end early.
func spoiled(all []wire.Entry, rnd *rand.Rand) (out []wire.Entry) {
	kept := 0.2 + 0.7*rnd.Float64()
	for _, e := range all {
		if rnd.Float64() > kept {
			continue
		}
		switch rnd.IntN(8) {
		case 0:
			out = append(out, e)
		case 1:
			e.Chunks = e.Chunks[:rnd.IntN(len(e.Chunks)+1)]
		case 2:
			if e.Response != nil {
				cut := *e.Response
				cut.Body = cut.Body[:rnd.IntN(len(cut.Body)+1)]
				e.Response, e.Error = &cut, "the reply was cut off"
			}
		case 3:
			e.Response, e.Chunks = nil, nil
		}
		out = append(out, e)
	}
	rnd.Shuffle(len(out), func(i, j int) { out[i], out[j] = out[j], out[i] })
	return out
}

// reported returns what a recording of these exchanges says, which does not hang on what is judged together.
func reported(t *testing.T, row *protocols.Row, alone bool, entries []wire.Entry) *observed.Report {
	t.Helper()
	parts := shown(t, row, row.Protocol, alone, entries)
	if row.Protocol.Topics != nil {
		whole := *row.Protocol
		whole.Topics = nil
		// All at once a little more is known of a host, such as that it minds cursors at all. So checks are not counted.
		verdicts := func(r *observed.Report) map[scenarios.RequirementID]bool {
			out := map[scenarios.RequirementID]bool{}
			for _, row := range r.Rows {
				out[row.Requirement] = row.Violated()
			}
			return out
		}
		if diff := cmp.Diff(verdicts(shown(t, row, &whole, alone, entries)), verdicts(parts)); diff != "" {
			t.Errorf("all at once something else is violated (-whole +parts):\n%s", diff)
		}
	}
	return parts
}

func shown(t *testing.T, row *protocols.Row, p *scenarios.Protocol, alone bool, entries []wire.Entry) *observed.Report {
	t.Helper()
	content, err := json.Marshal(struct {
		Schema  string       `json:"schema"`
		Entries []wire.Entry `json:"entries"`
	}{scenarios.TranscriptSchema, entries})
	if err != nil {
		t.Fatal(err)
	}
	r, err := observed.Read(fstest.MapFS{"recording.json": {Data: content}}, p)
	if err != nil {
		t.Fatal(err)
	}
	return observed.Judge{Protocol: p, Suites: row.Targets[0].Suites(), Tell: row.Targets[0].Tell, Alone: alone}.Judge(r[0])
}

// Recordings of honest targets, whatever their manners, accuse nobody by the rules that certifications do not have. What those of faulty
// ones show is logged.
func TestRecordingsAccuseNoHonestTarget(t *testing.T) {
	many(t)
	t.Parallel()
	for _, row := range protocols.All() {
		if row.Protocol.Recorded == nil {
			continue
		}
		t.Run(row.Name(), func(t *testing.T) {
			t.Parallel()
			for _, h := range drawnFew(row.Honest()) {
				t.Run("honest "+h.Name, func(t *testing.T) {
					t.Parallel()
					all := recorded(t, row.Targets[0], prove.Host{Name: h.Name, Specimen: h.Specimen})
					accuse(t, "others may be at work", reported(t, row, false, all))
				})
			}
			for _, f := range drawnFew(row.Faults()) {
				t.Run(f.ID, func(t *testing.T) {
					t.Parallel()
					var wrong, right []string
					for _, one := range reported(t, row, false, recorded(t, row.Targets[0], prove.Host{Name: f.ID, Specimen: f.Specimen})).Rows {
						switch id := string(one.Requirement); {
						case !one.Violated():
						case slices.Contains(f.Breaks, id):
							right = append(right, id)
						default:
							wrong = append(wrong, id)
						}
					}
					t.Logf("fault %s: shown %v, beside it %v", f.ID, right, wrong)
				})
			}
		})
	}
}

// Nobody is accused for what a recording lacks, and no recording shows a requirement that is not listed as watched.
func TestGapsInRecordingsAccuseNobody(t *testing.T) {
	many(t)
	t.Parallel()
	for _, row := range protocols.All() {
		if row.Protocol.Watched == nil {
			continue
		}
		t.Run(row.Name(), func(t *testing.T) {
			t.Parallel()
			h := row.Honest()[0]
			all := recorded(t, row.Targets[0], prove.Host{Name: h.Name, Specimen: h.Specimen})
			said := func(alone bool, entries []wire.Entry) *observed.Report { return reported(t, row, alone, entries) }
			whole := said(true, all)
			watched := observed.Watched(row.Protocol, row.Targets[0].Suites())
			if len(whole.Rows) < len(watched)/2 || whole.Panicked != "" || whole.Discovery != row.Hosted() {
				t.Errorf("%d of %d requirements are seen in a whole recording: %+v", len(whole.Rows), len(watched), whole.Panicked)
			}
			accuse(t, "all that was said", whole)
			seen := said(false, all)
			accuse(t, "all that was said, and others at work", seen)
			for _, one := range seen.Rows {
				if !slices.Contains(watched, one.Requirement) {
					t.Errorf("%s is seen in a recording, and not said to be", one.Requirement)
				}
			}
			for seed := range uint64(6) {
				accuse(t, "a recording with gaps", said(false, spoiled(all, rand.New(rand.NewPCG(seed, 0)))))
			}
		})
	}
}

func accuse(t *testing.T, what string, r *observed.Report) {
	t.Helper()
	if r.Panicked != "" {
		t.Errorf("%s: %s", what, r.Panicked)
	}
	for _, row := range r.Rows {
		if row.Violated() {
			t.Errorf("%s: %s is violated: %+v\n%s", what, row.Requirement, row.First, strings.Join(row.Pictures, "\n"))
		}
	}
}
