package challenge

import (
	"cmp"
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"runtime"
	"slices"
	"strings"
	"sync"
	"unicode"

	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/check"
	"github.com/openassay/assay/scenarios/wire"
)

// Causes why a pass was not shown able to fail.
const (
	Blind       = "blind"       // changes of kinds that break the sentence turned no check
	Unreachable = "unreachable" // what the checks looked at does not follow changes: the drive noted it as plain data
	NoPlace     = "no-place"    // no kind that breaks the sentence applies where the checks looked
)

// Tried is how often changes of a kind were tried on a pass.
type Tried struct {
	Kind   Kind   `json:"kind"`
	Tried  int    `json:"tried"`  // changes that the observation followed
	Lost   int    `json:"lost"`   // changes that it did not follow
	Turned bool   `json:"turned"` // the last of them turned a check
	Does   string `json:"does,omitempty"`
	// Where is the place of the change that turned a check, or of the first that turned none.
	Where wire.Ref `json:"where"`
}

// Pass is a passed scenario and one of its requirements.
type Pass struct {
	Scenario    scenarios.ScenarioID    `json:"scenario"`
	Requirement scenarios.RequirementID `json:"requirement"`
	Drive       string                  `json:"drive"`
	ByRow       bool                    `json:"byRow"` // the requirement's row names the kinds; else they follow from the values
	Sensitive   bool                    `json:"sensitive"`
	Kinds       []Tried                 `json:"kinds"`
	Cause       string                  `json:"cause,omitempty"` // why it is not sensitive: blind, unreachable, no-place
}

// Why says in words why the pass is not sensitive, "" if it is.
func (p Pass) Why() string {
	switch p.Cause {
	case Blind:
		var kinds []string
		tries := 0
		for _, k := range p.Kinds {
			if !k.Turned && k.Tried > 0 {
				kinds, tries = append(kinds, string(k.Kind)), tries+k.Tried
			}
		}
		return fmt.Sprintf("no check noticed %s (%d changes)", strings.Join(kinds, ", "), tries)
	case Unreachable:
		return "its checks are about something that the drive noted beside the exchanges, which follows no change"
	case NoPlace:
		return "no change that breaks the requirement can be made where its checks looked"
	}
	return ""
}

// Result says which passes of a certification were shown able to fail.
type Result struct {
	Seed      uint64 `json:"seed"`
	Passes    int    `json:"passes"`
	Sensitive int    `json:"sensitive"`
	Judged    int    `json:"judged"` // how often a scenario was judged again
	List      []Pass `json:"list"`
	// Unproved are the requirements that rest on insensitive passes alone.
	Unproved []scenarios.RequirementID `json:"unproved"`
	// Broken are changes after which a judge could not decide, since it panicked, or made no check of a requirement:
	// defects of Assay.
	Broken []string `json:"broken"`
}

// Sentence returns the figure for people.
func (r *Result) Sentence() string {
	return fmt.Sprintf("%d of %d passes shown able to fail", r.Sensitive, r.Passes)
}

// Insensitive returns the passes that were not shown able to fail.
func (r *Result) Insensitive() []Pass {
	return slices.DeleteFunc(slices.Clone(r.List), func(p Pass) bool { return p.Sensitive })
}

// Bounds on the changes of a kind that are judged for a pass: of a kind that has to turn a check, and of one that says
// no more than that another one might have done it.
const (
	mostTries  = 120
	leastTries = 40
	fewTries   = 2
	eachLook   = 5 // at least so many of a kind for each look
	mostBroken = 100
	// ordinaryChecks is the number of checks from which on a scenario is judged less often: each time costs more.
	ordinaryChecks = 12
)

// Report challenges every pass of a report, which must hold its drives. The seed draws places and values.
func Report(r *scenarios.Report, seed uint64) (*Result, error) { return Watch{}.Report(r, seed) }

// Report is [Report] while it is watched. The error may be [ErrInterrupted].
func (w Watch) Report(r *scenarios.Report, seed uint64) (*Result, error) {
	c := &challenge{watch: &watched{Watch: w}, report: r,
		result:  &Result{Seed: seed, List: []Pass{}, Unproved: []scenarios.RequirementID{}, Broken: []string{}},
		records: map[string]scenarios.DriveRecord{}, all: newPool()}
	for _, d := range r.Drives { // changes are made where judges look: below the names that suites use
		heard := (&wire.Transcript{Drive: d.ID, Entries: d.Transcript.Entries, Speech: r.Protocol.Speech}).Heard()
		d.Transcript, c.speech = heard, heard.Speech
		c.records[d.ID] = d
		c.all.gather(d)
		if found, ok := d.Observation.(scenarios.Discovery); ok {
			c.discovery = found
		}
	}
	byDrive := map[string][]scenarios.Outcome{}
	var order []string
	for _, o := range r.Outcomes {
		// What explores shows a change under whichever sentence that comes nearest to, so none of its passes is challenged by itself.
		if o.Verdict != scenarios.Passed || len(o.Scenario.Watches) > 0 {
			continue
		}
		if byDrive[o.Drive] == nil {
			order = append(order, o.Drive)
		}
		byDrive[o.Drive] = append(byDrive[o.Drive], o)
	}
	c.watch.begin(byDrive)
	if err := c.drives(order, byDrive); err != nil {
		return nil, err
	}
	c.sumUp()
	return c.result, nil
}

// drives challenges drives, as many at once as there are processors, and adds their results in order.
func (c *challenge) drives(order []string, passed map[string][]scenarios.Outcome) error {
	results, failures := make([]*Result, len(order)), make([]error, len(order))
	free := make(chan struct{}, runtime.GOMAXPROCS(0))
	var all sync.WaitGroup
	for i, id := range order {
		free <- struct{}{}
		all.Go(func() {
			defer func() { <-free }()
			one := *c
			one.result = &Result{Seed: c.result.Seed}
			results[i], failures[i] = one.result, one.drive(id, passed[id])
		})
	}
	all.Wait()
	if slices.Contains(failures, ErrInterrupted) {
		return ErrInterrupted
	}
	for i, id := range order {
		if failures[i] != nil {
			return fmt.Errorf("changing what the drive %s was sent: %w", id, failures[i])
		}
		c.result.add(results[i])
	}
	return nil
}

// add adds the result of a drive.
func (r *Result) add(o *Result) {
	r.Judged += o.Judged
	r.List = append(r.List, o.List...)
	r.Broken = append(r.Broken, o.Broken[:min(len(o.Broken), mostBroken-len(r.Broken))]...)
}

type challenge struct {
	watch     *watched
	report    *scenarios.Report
	result    *Result
	records   map[string]scenarios.DriveRecord
	discovery scenarios.Discovery
	all       *pool
	speech    wire.Speech
}

// drive challenges the passes of a drive.
func (c *challenge) drive(id string, passed []scenarios.Outcome) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("it panicked: %v", p)
		}
	}()
	if c.watch.over() {
		return ErrInterrupted
	}
	record, ok := c.records[id]
	if !ok {
		return fmt.Errorf("the report does not hold it")
	}
	retrial, err := scenarios.NewRetrial(passed[0].Scenario, record, c.speech)
	if err != nil {
		return err
	}
	s := &scene{transcript: retrial.Bound.Transcript, all: c.all, own: newPool()}
	s.own.gather(record)
	for _, o := range passed {
		t := &trial{challenge: c, retrial: retrial, scenario: o.Scenario, drive: id, scene: s,
			firm: c.report.Firm(o.Scenario, c.discovery)}
		t.first, t.seen = t.judge()
		if t.first.Verdict != scenarios.Passed {
			return fmt.Errorf("%s passed, and does not when it is judged again: %s", o.Scenario.ID, t.first.Reason)
		}
		for _, requirement := range o.Scenario.Proves {
			if failed(t.first.Checks, requirement) > 0 {
				continue // short of a SHOULD, which is a finding and no pass
			}
			s.random = c.random(o.Scenario.ID, requirement)
			pass := t.pass(requirement)
			if c.watch.over() { // it was not tried to the end
				return ErrInterrupted
			}
			c.result.List = append(c.result.List, pass)
			c.watch.tell(1)
		}
	}
	return nil
}

// random returns the chance of a pass: the same whatever other passes were challenged before.
func (c *challenge) random(s scenarios.ScenarioID, r scenarios.RequirementID) *rand.Rand {
	h := fnv.New64a()
	h.Write([]byte(string(s) + " " + string(r)))
	return rand.New(rand.NewPCG(c.result.Seed, h.Sum64()))
}

// trial is a scenario that is judged again and again.
type trial struct {
	*challenge
	retrial  *scenarios.Retrial
	scenario scenarios.Scenario
	drive    string
	firm     bool
	first    scenarios.Outcome // without a change
	seen     []wire.Seen
	scene    *scene
}

func (t *trial) judge() (scenarios.Outcome, []wire.Seen) {
	t.result.Judged++
	return t.retrial.Judge(t.scenario, t.report.Protocol.Ledger, t.firm)
}

// pass challenges one requirement of the scenario.
func (t *trial) pass(requirement scenarios.RequirementID) Pass {
	p := Pass{Scenario: t.scenario.ID, Requirement: requirement, Drive: t.drive, Kinds: []Tried{}}
	var looks []look
	for i, check := range t.first.Checks {
		if check.Requirement == string(requirement) && t.seen[i] != nil {
			l := lookOf(t.seen[i])
			l.question = strings.Map(withoutDigits, check.Expected)
			looks = append(looks, l)
		}
	}
	row, _ := t.report.Protocol.Ledger.Find(requirement)
	p.ByRow = len(row.Breaks) > 0
	out := t.named(&p, named(row), looks)
	// Where none of them can be made, as where a member is absent that may be, another change may turn a check all the same.
	placed := len(p.Kinds) > 0
	if !placed {
		out = t.guessed(&p, t.scene.ordinary(looks), looks)
	}
	// Each kind that a row names has to turn a check; of those that follow from the values, one.
	p.Sensitive = out.turned && !(placed && out.blind)
	switch {
	case p.Sensitive:
	case p.ByRow && !placed:
		p.Cause = NoPlace
	case out.blind:
		p.Cause = Blind
	case out.lost:
		p.Cause = Unreachable
	default:
		p.Cause = NoPlace
	}
	return p
}

// tries says whether a kind turned a check, another one did not, and a change was not followed.
type tries struct{ turned, blind, lost bool }

func (o *tries) add(p *Pass, k Tried) {
	o.lost = o.lost || k.Lost > 0
	if k.Tried+k.Lost > 0 {
		o.turned, o.blind = o.turned || k.Turned, o.blind || k.Tried > 0 && !k.Turned
		p.Kinds = append(p.Kinds, k)
	}
}

// most returns how many changes of a kind are judged.
func (t *trial) most() int {
	return min(mostTries, max(leastTries, mostTries*ordinaryChecks/len(t.first.Checks)))
}

// named tries the kinds that a row names.
func (t *trial) named(p *Pass, kinds []Kind, looks []look) (out tries) {
	for _, kind := range kinds {
		out.add(p, t.try(kind, p.Requirement, looks, t.most()))
	}
	return out
}

// guessed tries kinds that follow from the values. Once one has turned a check, of the others a few changes are made.
func (t *trial) guessed(p *Pass, kinds []Kind, looks []look) (out tries) {
	for _, kind := range kinds {
		most := t.most()
		if out.turned {
			if slices.Contains(lastResorts, kind) {
				continue
			}
			most = fewTries
		}
		out.add(p, t.try(kind, p.Requirement, looks, most))
	}
	return out
}

// try tries changes of a kind until one turns a check of the requirement.
func (t *trial) try(kind Kind, requirement scenarios.RequirementID, looks []look, most int) Tried {
	out := Tried{Kind: kind}
	inOrder := inTurn(shuffled(t.scene.random, looks, len(looks)))
	if kind == Inserted { // only the first few looks are tried, and only lists can get another element
		inOrder = alternately(inOrder)
	}
	for _, l := range inOrder {
		left := min(most, max(eachLook, mostTries/len(looks)))
		if kind == Inserted && l.in != nil && len(l.values) == 0 { // what it must not have is one of many
			left, most = mostElements, most+mostElements
		}
		for e := range t.scene.edits(kind, l) {
			if left--; left < 0 || out.Tried >= most || t.watch.over() {
				break
			}
			followed, turned := t.apply(e, requirement)
			if !followed {
				out.Lost++
				continue
			}
			if out.Tried++; turned || out.Tried == 1 {
				out.Where, out.Does = e.place, e.does
			}
			if turned {
				out.Turned = true
				return out
			}
		}
	}
	return out
}

// inTurn orders looks so that each question comes once before any comes twice.
func inTurn(looks []look) []look {
	asked := map[string]int{}
	rank := make([]int, len(looks))
	order := make([]int, len(looks))
	for i, l := range looks {
		order[i], rank[i] = i, asked[l.question]
		asked[l.question]++
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(rank[a], rank[b]) })
	out := make([]look, len(looks))
	for i, k := range order {
		out[i] = looks[k]
	}
	return out
}

// alternately returns the looks in an order in which those at lists and those at other values take turns.
func alternately(looks []look) (out []look) {
	var lists, others []look
	for _, l := range looks {
		if l.list {
			lists = append(lists, l)
		} else {
			others = append(others, l)
		}
	}
	for i := range looks {
		if i < len(others) {
			out = append(out, others[i])
		}
		if i < len(lists) {
			out = append(out, lists[i])
		}
	}
	return out
}

func withoutDigits(r rune) rune {
	if unicode.IsDigit(r) {
		return -1
	}
	return r
}

// apply makes a change, judges, and takes it back.
func (t *trial) apply(e edit, requirement scenarios.RequirementID) (followed, turned bool) {
	followed, undo, err := t.retrial.Bound.Apply(e.change)
	defer undo()
	if err != nil || !followed {
		return false, false
	}
	o, _ := t.judge()
	if o.Verdict == scenarios.Broken && failed(o.Checks, requirement) == failed(t.first.Checks, requirement) {
		if len(t.result.Broken) < mostBroken && !slices.Contains(t.result.Broken, string(t.scenario.ID)+": "+o.Reason) {
			t.result.Broken = append(t.result.Broken, string(t.scenario.ID)+": "+o.Reason)
		}
		return true, false
	}
	return true, failed(o.Checks, requirement) > failed(t.first.Checks, requirement) || o.BlockedOn == requirement
}

// failed counts the checks of a requirement that failed.
func failed(checks []check.Result, requirement scenarios.RequirementID) (n int) {
	for _, c := range checks {
		if !c.OK && c.Requirement == string(requirement) {
			n++
		}
	}
	return n
}

// sumUp counts.
func (c *challenge) sumUp() {
	r := c.result
	shown := map[scenarios.RequirementID]bool{}
	for _, p := range r.List {
		r.Passes++
		if p.Sensitive {
			r.Sensitive++
			shown[p.Requirement] = true
		}
	}
	for _, p := range r.List {
		if !shown[p.Requirement] && !slices.Contains(r.Unproved, p.Requirement) {
			r.Unproved = append(r.Unproved, p.Requirement)
		}
	}
	slices.SortFunc(r.Unproved, cmp.Compare)
}
