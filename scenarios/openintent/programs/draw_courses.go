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
	ends         = &scenarios.Dimension{Name: "further products of policy and fallback", Least: 5, Most: [3]int{6, 24, 48}, Edges: []int{24}}
	courseRounds = &scenarios.Dimension{Name: "suspensions of an intent that nobody answers in time", Least: 2, Most: [3]int{2, 3, 6}}
	attempts     = &scenarios.Dimension{Name: "attempts of a policy", Least: 1, Most: [3]int{4, 7, 24}, Edges: []int{1, 2}}
	intervals    = &scenarios.Dimension{
		Name: "seconds between attempts", Least: 600, Most: [3]int{86_401, 604_800, 2_592_000}, Edges: []int{3599, 3600, 3601, 86_400},
	}
)

var courseDimensions = append([]*scenarios.Dimension{courses, courseRounds, attempts, intervals, ends, chasing}, valued...)

// Plan is a suspension to make, and when to answer it.
type Plan struct {
	Record   json.RawMessage `json:"record"` // beside its id and times
	Response string          `json:"response"`
	Answer   json.RawMessage `json:"answer"`
	During   int             `json:"during"` // the attempt at which it is answered; 0 for never
	Order    host.Order      `json:"order"`
	// Meanwhile is what else is asked during each attempt before the last.
	Meanwhile []Meanwhile `json:"meanwhile"`
}

// Meanwhile is what is asked while a suspension waits, and must not move it.
type Meanwhile string

// What may be asked.
const (
	Nothing  Meanwhile = ""
	Misfit   Meanwhile = "an answer that does not fit"
	Stranger Meanwhile = "an answer to another suspension"
	Writing  Meanwhile = "a write into the state"
	Finish   Meanwhile = "a request to complete it"
	Touching Meanwhile = "a write into the context of its record"
)

// meanwhiles are all of them. Quick leaves out the last.
var meanwhiles = []Meanwhile{Nothing, Misfit, Stranger, Writing, Finish, Touching}

// Intents that every drive has, each with what the others do not show.
const (
	lateAnswered   = iota // answered first, left in the end: its policy says fail and its record does not
	manyReminded          // at least four attempts in each round; left first, answered in the end
	withoutAPolicy        // left with the fallback of its record and an empty ladder, and in the end without a policy
)

// supervisor is the recipient that a server with an allowlist has to allow (OIP-R117).
const supervisor = "supervisor@example.com"

// planner draws suspensions. Fallbacks and values take turns, so that few of them are the same.
type planner struct {
	*host.Server
	responses []string
	turn      int            // of the fallbacks
	value     int            // of the fallback values
	platform  map[string]any // its policy, from which a record inherits what it does not say; nil for none
}

// plans draws the rounds of each intent.
func (p *planner) plans(depth scenarios.Depth) (all [][]Plan) {
	p.turn, p.value = p.Rand.IntN(len(pairs)), p.Rand.IntN(len(kinds))
	last := within(p.Server, courseRounds, 12*attempts.Most[depth]) - 1
	for n := range p.Draw(courses) {
		var rounds []Plan
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
	case n == lateAnswered && first: // with attempts left
		answered, policy, count = true, true, max(3, count)
	case n == lateAnswered && last:
		pair, answered, policy = [2]string{model.Fails, goesOn}, false, true
	case n == manyReminded && first:
		pair, answered = [2]string{goesOn, model.Fails}, false
	case n == manyReminded && last:
		answered = true
	case n == withoutAPolicy && first:
		pair, answered, policy, count = [2]string{"", goesOn}, false, true, max(2, count)
	case n == withoutAPolicy && last:
		pair, answered, policy = [2]string{"", []string{"", model.Fails}[p.Rand.IntN(2)]}, false, false
	}
	if n == manyReminded {
		count, policy = max(4, count), true
	}
	own := whole
	if !policy {
		count, own = 1, none
	}
	out = p.build(n, count, pair, own)
	course := scenarios.Get(model.CourseOf(out.Record))
	if answered || !last && !course.Continues() { // what fails has no further round
		out.During = 1 + p.Rand.IntN(course.Attempts)
		switch {
		case n == manyReminded:
			out.During = course.Attempts
		case n == lateAnswered && first:
			out.During = 1 + p.Rand.IntN(2)
		}
	}
	return out
}

// part is how much a record says of its policy.
type part int

const (
	none      part = iota
	unlimited      // all but max_attempts, which is 1 then (OIP-R10)
	whole
)

// ends draws suspensions of which the fallback that applies is of interest: products of what a record and its policy say.
func (p *planner) ends() (all []Plan) {
	var of []func() Plan
	for k, pair := range pairs {
		of = append(of, func() Plan { return p.build(model.None, 1+k%2, pair, whole) })
		if pair[0] == "" {
			of = append(of, func() Plan { return p.build(model.None, 1, pair, none) })
		}
		if pair[0] == pair[1] {
			of = append(of, func() Plan { return p.build(model.None, 1, pair, unlimited) })
		}
	}
	order := p.Rand.Perm(len(of))
	for k := range within(p.Server, ends, 8) - 1 {
		all = append(all, of[order[k%len(of)]]())
	}
	if p.Depth > scenarios.Quick { // the policy of its one attempt and its record name different fallbacks
		says := [2]string{[]string{model.Completes, model.Defaults}[p.Rand.IntN(2)], model.Fails}
		if p.Rand.IntN(2) == 0 {
			says[0], says[1] = says[1], says[0]
		}
		all = append(all, p.build(model.None, 1, says, whole))
	}
	pair := pairs[p.Rand.IntN(len(pairs))]
	return append(all, p.build(model.None, 1, pair, unlimited)) // there is one in any case
}

// build draws a suspension of the n-th intent with so many attempts.
func (p *planner) build(n, count int, pair [2]string, own part) (out Plan) {
	if len(p.platform) > 0 { // it says all that it could inherit
		own = whole
	}
	if own == none {
		pair[0] = ""
	}
	if _, inherits := p.platform["final_fallback_policy"]; inherits && pair[0] == "" {
		pair[0] = cmp.Or(pair[1], model.Fails)
	}
	p.value++
	out.Response = p.responses[(n+p.turn+p.value)%len(p.responses)]
	if n == manyReminded { // of both there is a value that does not fit
		out.Response = []string{asChoice, asConfirm}[p.value%2]
	}
	record, answer := question(p.Server, out.Response)
	out.Answer = answer
	interval := p.Draw(intervals)
	set := func(in map[string]json.RawMessage, member, value string) {
		if value != "" {
			in[member] = encoded(value)
		}
	}
	timeout := interval
	if count > 1 && p.Rand.IntN(3) == 0 {
		timeout += 1 + p.Rand.IntN(interval)
	}
	record["timeout_seconds"] = encoded(timeout)
	record["fallback_value"] = encoded(kinds[p.value%len(kinds)](p.Server))
	if p.Rand.IntN(3) == 0 {
		record["expires_at"] = encoded(nil) // for the server to fill in
	}
	set(record, "fallback_policy", pair[1])
	set(record, "channel_hint", []string{"slack", "", p.Name("channel")}[p.Rand.IntN(3)])
	if steps := p.ladder(n, count); own != none {
		policy := map[string]json.RawMessage{"interval_seconds": encoded(interval)}
		if own == whole {
			policy["max_attempts"] = encoded(count)
		}
		set(policy, "final_fallback_policy", pair[0])
		says := len(p.platform) > 0
		if says || p.Rand.IntN(3) > 0 {
			policy["strategy"] = encoded("fixed")
		}
		if says || len(steps) > 0 || n == withoutAPolicy || p.Rand.IntN(2) == 0 {
			policy["escalation_ladder"] = encoded(steps)
		}
		record["retry_policy"] = encoded(policy)
	}
	out.Record = encoded(record)
	if out.Order = []host.Order{host.RecordFirst, host.StatusFirst}[p.Rand.IntN(2)]; timeout > interval { // it may be refused
		out.Order = host.RecordFirst
	}
	may := meanwhiles
	if p.Depth == scenarios.Quick {
		may = may[:len(may)-1]
	}
	first := p.Rand.IntN(len(may))
	if n == manyReminded {
		first = 1 // a value that does not fit comes before the first reminder
	}
	for k := range count {
		out.Meanwhile = append(out.Meanwhile, may[(first+k)%len(may)])
	}
	return out
}

// ladder draws steps for some attempts, in any order, and one that is never reached. It has none for attempt 1 (OIP-R16).
func (p *planner) ladder(n, count int) []any {
	steps := []any{}
	if n == withoutAPolicy {
		return steps
	}
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
