package prove_test

import (
	"flag"
	"maps"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/explore/lockstep"
	"github.com/openassay/assay/scenarios/explore/lockstep/locksteptest"
	openintent "github.com/openassay/assay/scenarios/openintent/histories"
	openwop "github.com/openassay/assay/scenarios/openwop/histories"
	"github.com/openassay/assay/tools/internal/protocols"
	"github.com/openassay/assay/tools/prove"
)

var (
	lockstepSteps = flag.Int("lockstep", 400, "how many steps are taken in each small world; 0 is all of them, and some on each honest host")
	lockstepSeed  = flag.Uint64("lockstep-seed", 1, "which steps are taken, where not all are")
)

const (
	stepsOfAHost = 1500 // before another host is started: it keeps all that was made on it
	someSteps    = 400  // on other hosts, where all steps are taken on the plain one
)

// besides are honest hosts that do what the plain one does not, and the kind of objects to which they do.
var besides = map[string]string{
	"--without ancestry":                                "runs",
	"--without bulkCancel":                              "runs",
	"--without pause":                                   "runs",
	"--version 6 --vary raw-bodies":                     "keys",
	"--protocol openintent --without lifecycle":         "worlds",
	"--protocol openintent --vary fail-stays-suspended": "worlds",
}

// Whatever a client does in a small world, the simulated host replies as the model allows; no rule of a model is dead, and what the
// texts demand to be possible is seen of some host.
func TestLockstep(t *testing.T) {
	many(t)
	t.Parallel()
	for name, worlds := range map[string][]lockstep.Small{"openwop": openwop.Small(), "openintent": openintent.Small()} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var mu sync.Mutex
			seen, rules := map[lockstep.Way]int{}, map[string]int{}
			t.Run("hosts", func(t *testing.T) {
				for i, h := range protocols.Named(name).Honest() {
					for _, w := range worlds {
						steps := *lockstepSteps
						if i > 0 && steps > 0 && besides[h.Name] != w.Of() {
							continue
						}
						if i > 0 && steps == 0 {
							steps = someSteps
						}
						t.Run(h.Name+" "+w.Called(), func(t *testing.T) {
							t.Parallel()
							p := walked(t, w, prove.Host{Name: h.Name, Specimen: h.Specimen}, steps)
							t.Logf("%d steps of %d objects: %d states, %d steps of %d in them", p.Taken, p.Objects, p.States, p.Edges, p.Edges+p.Left)
							mu.Lock()
							defer mu.Unlock()
							for way, n := range p.Ways {
								seen[way] += n
							}
							for rule, n := range p.Rules {
								rules[w.Of()+": "+rule] += n
							}
						})
					}
				}
			})
			met(t, worlds, seen, rules)
		})
	}
}

// walked walks through a small world beside a host; 0 steps are as many as there are.
func walked(t *testing.T, w lockstep.Small, h prove.Host, steps int) lockstep.Progress {
	t.Helper()
	walk := w.Walk(locksteptest.Depth, *lockstepSeed)
	for {
		before := walk.Done().Taken
		n := stepsOfAHost
		if steps > 0 {
			n = min(n, steps-before)
		}
		o := scenarios.Options{Seed: *lockstepSeed + uint64(before), Depth: scenarios.Deep} //nolint:gosec // a count
		r, err := lab.Ask(t.Context(), h, o, walk.Suite(h.Protocol(), n))
		if err != nil {
			t.Fatal(err)
		}
		p, out := walk.Done(), r.Outcomes[0]
		switch out.Verdict {
		case scenarios.Passed, scenarios.Inapplicable, scenarios.Blocked: // it may lack what is asked, or be asked no more of it
		default:
			t.Fatalf("%s: %s", out.Verdict, out.Reason)
		}
		switch {
		case p.Wrong:
			t.Fatalf("no sentence is violated, and the model does not explain it: %s", out.Reason)
		case p.Taken == before, steps > 0 && p.Taken >= steps:
			return p
		}
	}
}

// met holds what was seen of all hosts against the rules.
func met(t *testing.T, worlds []lockstep.Small, seen map[lockstep.Way]int, rules map[string]int) {
	t.Helper()
	all := map[lockstep.Way]bool{}
	for _, w := range worlds {
		for _, way := range w.All() {
			all[way] = true
		}
	}
	for _, way := range slices.SortedFunc(maps.Keys(all), func(a, b lockstep.Way) int { return strings.Compare(a.String(), b.String()) }) {
		why := unseen[way.String()]
		switch n := seen[way]; {
		case way.Must && why != "":
			t.Errorf("it must be possible, so it is not to be in the list of what is not seen: %s", way)
		case way.Must && n == 0:
			t.Errorf("it must be possible, and no host was seen to do it: %s", way)
		case why == "" && rules[way.Kind+": "+way.Rule] == 0:
			t.Errorf("no step on a host meets its rule: %s", way)
		case why == "" && n == 0 && *lockstepSteps == 0: // what is only allowed may not come in few steps
			t.Errorf("no host was seen to do it, and the list of what is not seen does not say why: %s", way)
		case why != "" && why != byChance && n > 0:
			t.Errorf("it was seen %d times, so it is not to be in the list of what is not seen: %s", n, way)
		}
	}
}

// Why something is not seen that a model allows.
const (
	oneAtATime = "it takes several clients at once, and here is one"
	byChance   = "it hangs on how far a run has got, and on which steps are taken"
	known      = "the hosts here know another tenant"
	nothing    = "nothing is asked where no text says what holds"
	unasked    = "no step here says what is to come of a run that the host fires by itself"
	theirs     = "no text says which, and the simulated host does the other thing"
)

// unseen are ways that no host is seen to go, and why.
var unseen = map[string]string{
	"files: a write of any etag is made or not: refused":                                                       theirs,
	"files: nobody sees the files of another tenant: there is no other tenant":                                 known,
	"goals: a commitment that is fired fires a run of an active goal: its judge is satisfied":                  unasked,
	"goals: a commitment that is fired fires a run of an active goal: its judge is satisfied at its bound":     unasked,
	"goals: a commitment that is fired fires a run of an active goal: the run gets stuck":                      unasked,
	"goals: a heartbeat that sees a change fires a run of an active goal: its judge is satisfied":              unasked,
	"goals: a heartbeat that sees a change fires a run of an active goal: its judge is satisfied at its bound": unasked,
	"goals: a heartbeat that sees a change fires a run of an active goal: the run gets stuck":                  unasked,
	"goals: a goal is given up: an escalated one is not":                                                       theirs,
	"goals: a tick of an active goal fires a run that is judged: another tick is under way":                    oneAtATime,
	"goals: a tick of an active goal fires a run that is judged: it ends at its bound":                         theirs,
	"goals: a tick of an active goal fires a run that is judged: it is judged otherwise":                       theirs,
	"goals: an active goal is paused and resumed: refused":                                                     theirs,
	"goals: an escalated goal is edited or not: edited":                                                        theirs,
	"goals: an escalated goal is resumed or not: resumed":                                                      theirs,
	"goals: what becomes of an escalated goal that goes on again is open":                                      nothing,
	"keys: a request of another tenant is done as if nobody had used its key: another is under way":            oneAtATime,
	"keys: a request of another tenant is done as if nobody had used its key: there is no other tenant":        known,
	"keys: a request under a new key is done: another is under way":                                            oneAtATime,
	"keys: the same request under the same key is answered as before: another is under way":                    oneAtATime,
	"runs: a bulk cancel has a result for each run: it was over":                                               theirs,
	"runs: a number for a text is refused: taken, where nothing says that it is to be a text":                  theirs,
	"runs: a run under way is cancelled: it was over":                                                          theirs,
	"runs: a token answers the interrupt that it was made for, once: refused":                                  byChance,
	"runs: a worker under way is cancelled: it was over":                                                       byChance,
	"runs: what has ended stays as it ended: refused":                                                          theirs,

	"chases: a window ends, and its intent goes on: completed":                                              theirs,
	"chases: an answer is taken during any attempt: refused for another reason":                             theirs,
	"coordinated: a phase is answered: refused":                                                             theirs,
	"coordinated: a phase is completed: refused":                                                            theirs,
	"coordinated: a phase is suspended: refused":                                                            theirs,
	"coordinated: a record is taken: refused":                                                               theirs,
	"phases: a claim is given back: refused":                                                                theirs,
	"phases: a claim whose inputs are all there is granted: refused for want of a right, or for load":       theirs,
	"phases: a lease is taken: refused":                                                                     theirs,
	"phases: a record is taken: refused":                                                                    theirs,
	"phases: an answer to what waits is taken: refused for want of a right, or for load":                    theirs,
	"phases: an intent is suspended: refused":                                                               theirs,
	"phases: the output is written: refused":                                                                theirs,
	"phases: what comes of a claim on what was claimed is open: taken":                                      nothing,
	"phases: what comes of a claim whose upstream is at work is open: taken":                                theirs,
	"questions: an answer to what waits is taken: refused for another reason":                               theirs,
	"worlds: a draft is activated, and blocked if something waits that it depends on: refused":              theirs,
	"worlds: a member is added: refused":                                                                    theirs,
	"worlds: a note is written: refused":                                                                    theirs,
	"worlds: a record is taken: refused":                                                                    theirs,
	"worlds: an answer to what waits is taken: refused for another reason":                                  theirs,
	"worlds: an empty text is no answer, which is a SHOULD: a server that takes it goes its own way: taken": theirs,
	"worlds: no text says what holds from here":                                                             nothing,
	"worlds: what a text takes that is no text is open: taken":                                              theirs,
	"worlds: what comes of a record over one that waits is open: refused":                                   theirs,
	"worlds: what comes of an answer to what has no record is open: taken":                                  theirs,
	"worlds: what comes of suspending what is suspended is open: refused":                                   theirs,
	"worlds: whether time that passes for an intent passes for its portfolio is open: refused":              theirs,
	"worlds: who joins a portfolio whose deadline is over is open: refused":                                 theirs,
}
