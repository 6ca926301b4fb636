package programs

import (
	"cmp"
	"encoding/json"

	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/openintent/host"
	"github.com/openassay/assay/scenarios/openintent/model"
)

// What courses are made of. Intervals are long: a clock moves them, and what the drive itself takes is little beside them.
var (
	courses      = &scenarios.Dimension{Name: "intents that nobody answers in time", Least: 3, Most: [3]int{3, 4, 8}}
	courseRounds = &scenarios.Dimension{Name: "suspensions of an intent that nobody answers in time", Least: 2, Most: [3]int{2, 3, 6}}
	attempts     = &scenarios.Dimension{Name: "attempts of a policy", Least: 1, Most: [3]int{4, 7, 24}, Edges: []int{1, 2}}
	intervals    = &scenarios.Dimension{
		Name: "seconds between attempts", Least: 600, Most: [3]int{86_401, 604_800, 2_592_000}, Edges: []int{3599, 3600, 3601, 86_400},
	}
)

var courseDimensions = append([]*scenarios.Dimension{courses, courseRounds, attempts, intervals}, valued...)

// Plan is a suspension to make, and when to answer it.
type Plan struct {
	Record   json.RawMessage `json:"record"` // beside its id and times
	Response string          `json:"response"`
	Answer   json.RawMessage `json:"answer"`
	During   int             `json:"during"` // the attempt at which it is answered; 0 for never
	Order    host.Order      `json:"order"`
}

// Intents that every drive has, each with what the others do not show.
const (
	lateAnswered   = iota // answered first, left in the end: its policy says fail and its record does not
	manyReminded          // at least four attempts in each round; left first, answered in the end
	withoutAPolicy        // left with the fallback of its record first, and in the end without a policy
)

// supervisor is the recipient that a server with an allowlist has to allow (OIP-R117).
const supervisor = "supervisor@example.com"

// planner draws suspensions. Fallbacks and values take turns, so that few of them are the same.
type planner struct {
	*host.Server
	responses []string
	turn      int
	platform  map[string]any // its policy, from which a record inherits what it does not say; nil for none
}

// plans draws the rounds of each intent.
func (p *planner) plans(depth scenarios.Depth) (all [][]Plan) {
	p.turn = p.Rand.IntN(len(pairs))
	for n := range p.Draw(courses) {
		var rounds []Plan
		last := within(p.Server, courseRounds, 12*attempts.Most[depth]) - 1
		for r := range last + 1 {
			rounds = append(rounds, p.plan(n, r == 0, r == last))
		}
		all = append(all, rounds)
	}
	return all
}

// pairs are the products of the fallbacks of a policy and of its record; "" is none.
var pairs = func() (all [][2]string) {
	each := []string{"", model.Fails, model.Completes, model.Defaults}
	for _, inner := range each {
		for _, outer := range each {
			all = append(all, [2]string{inner, outer})
		}
	}
	return all
}()

// plan draws a suspension of the n-th intent.
func (p *planner) plan(n int, first, last bool) (out Plan) {
	p.turn++
	pair, count := pairs[(p.turn*5)%len(pairs)], p.Draw(attempts)
	goesOn := []string{model.Completes, model.Defaults}[p.Rand.IntN(2)]
	answered, policy := p.Rand.IntN(3) == 0, p.Rand.IntN(8) > 0
	switch {
	case n == lateAnswered && first:
		answered = true
	case n == lateAnswered && last:
		pair, answered, policy = [2]string{model.Fails, goesOn}, false, true
	case n == manyReminded && first:
		pair, answered = [2]string{goesOn, model.Fails}, false
	case n == manyReminded && last:
		answered = true
	case n == withoutAPolicy && first:
		pair, answered, policy = [2]string{"", goesOn}, false, true
	case n == withoutAPolicy && last:
		pair, answered, policy = [2]string{"", []string{"", model.Fails}[p.Rand.IntN(2)]}, false, false
	}
	if n == manyReminded {
		count, policy = max(4, count), true
	}
	if !policy {
		count, pair[0] = 1, ""
	}
	policy = policy || len(p.platform) > 0
	if _, inherits := p.platform["final_fallback_policy"]; inherits && pair[0] == "" {
		pair[0] = cmp.Or(pair[1], model.Fails)
	}
	out.Response = p.responses[(n+p.turn)%len(p.responses)]
	record, answer := question(p.Server, out.Response)
	out.Answer = answer
	p.policy(record, n, count, pair, policy)
	out.Record = encoded(record)
	course := scenarios.Get(model.CourseOf(out.Record))
	if answered || !last && !course.Continues() { // what fails has no further round
		out.During = 1 + p.Rand.IntN(count)
		if n == manyReminded {
			out.During = max(3, out.During)
		}
	}
	out.Order = []host.Order{host.RecordFirst, host.StatusFirst}[p.Rand.IntN(2)]
	return out
}

// policy writes into a record when it is reminded of and how it ends.
func (p *planner) policy(record map[string]json.RawMessage, n, count int, pair [2]string, policy bool) {
	interval := p.Draw(intervals)
	set := func(in map[string]json.RawMessage, member, value string) {
		if value != "" {
			in[member] = encoded(value)
		}
	}
	record["timeout_seconds"] = encoded(interval)
	record["fallback_value"] = encoded(kinds[(p.turn+p.Draw(kind))%len(kinds)](p.Server))
	set(record, "fallback_policy", pair[1])
	set(record, "channel_hint", []string{"slack", "", p.Name("channel")}[p.Rand.IntN(3)])
	steps := p.ladder(n, count)
	if !policy {
		return
	}
	own := map[string]json.RawMessage{"max_attempts": encoded(count), "interval_seconds": encoded(interval)}
	set(own, "final_fallback_policy", pair[0])
	says := len(p.platform) > 0 // all that it could inherit
	if says || p.Rand.IntN(3) > 0 {
		own["strategy"] = encoded("fixed")
	}
	if says || len(steps) > 0 || p.Rand.IntN(2) == 0 {
		own["escalation_ladder"] = encoded(steps)
	}
	record["retry_policy"] = encoded(own)
}

// ladder draws steps for some attempts, in any order, and one that is never reached. It has none for attempt 1 (OIP-R16).
func (p *planner) ladder(n, count int) []any {
	steps := []any{}
	add := func(attempt int, channel, to any) {
		step := map[string]any{"attempt": attempt, "notify_to": to}
		if channel != "" {
			step["channel_hint"] = channel
		}
		steps = append(steps, step)
	}
	for attempt := 2; attempt <= count; attempt++ {
		channel, to := []any{p.Name("channel"), "email", nil, ""}[p.Rand.IntN(4)], []any{supervisor, nil}[p.Rand.IntN(2)]
		switch has := p.Rand.IntN(4) > 0; {
		case n == manyReminded && attempt == count: // the odd one: the last step alone names somebody, and the one before is none
			add(attempt, p.Name("channel"), supervisor)
		case n == manyReminded && attempt == count-1:
		case n == manyReminded && attempt == 2:
			add(attempt, "email", nil)
		case has:
			add(attempt, channel, to)
		}
	}
	if p.Rand.IntN(2) == 0 {
		add(count+1+p.Rand.IntN(8), "siren", supervisor)
	}
	p.Rand.Shuffle(len(steps), func(i, j int) { steps[i], steps[j] = steps[j], steps[i] })
	return steps
}
