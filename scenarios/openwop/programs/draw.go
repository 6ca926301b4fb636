package programs

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/openwop/claims"
	"github.com/openassay/assay/scenarios/openwop/fixture"
	"github.com/openassay/assay/scenarios/openwop/host"
	"github.com/openassay/assay/scenarios/openwop/model"
)

// What programs draw.
var (
	turns     = &scenarios.Dimension{Name: "turns of a loop", Least: 4, Most: [3]int{6, 24, 120}, Edges: []int{4, 9, 10, 11, 99, 100, 101}}
	workers   = &scenarios.Dimension{Name: "workers of a decision", Least: 1, Most: [3]int{2, 3, 8}}
	questions = &scenarios.Dimension{Name: "questions of a loop", Least: 2, Most: [3]int{2, 3, 4}}
	letters   = &scenarios.Dimension{Name: "letters of a text", Least: 1, Most: [3]int{20, 300, 1_000}, Edges: []int{255, 256, 257}}
	form      = &scenarios.Dimension{Name: "form of a text", Least: 0, Most: [3]int{len(forms) - 1, len(forms) - 1, len(forms) - 1}}
	bound     = &scenarios.Dimension{Name: "turns below the bound of a loop", Least: 1, Most: [3]int{5, 23, 119}, Edges: []int{1}}
	beyond    = &scenarios.Dimension{Name: "decisions behind the end of a plan", Least: 0, Most: [3]int{2, 2, 5}}
	truth     = &scenarios.Dimension{Name: "truth of a value", Least: 0, Most: [3]int{1, 1, 1}}
	number    = &scenarios.Dimension{Name: "kind of a number", Least: 0, Most: [3]int{len(numbers) - 1, len(numbers) - 1, len(numbers) - 1}}
	depth     = &scenarios.Dimension{Name: "depth of a value", Least: 2, Most: [3]int{4, 16, 24}}
	long      = &scenarios.Dimension{Name: "length of a list", Least: 2, Most: [3]int{5, 100, 1_000}}
	room      = &scenarios.Dimension{Name: "turns that the bound of a loop leaves", Least: 0, Most: [3]int{2, 40, 900}, Edges: []int{0, 1}}
)

var dimensions = []*scenarios.Dimension{turns, workers, questions, letters, form, bound, beyond, truth, number, depth, long, room}

// interactions are dimensions that hosts confuse with one another: what one bounds the other counts.
var interactions = [][2]*scenarios.Dimension{{turns, bound}, {turns, questions}, {turns, beyond}, {turns, room}, {beyond, room},
	{form, letters}}

// At each depth, how many programs are drawn, and from how many workers on each further decision of a program is for one: what is
// read of them is kept until it is judged.
var (
	programs = [scenarios.Deep + 1]int{2, 4, 4}
	many     = [scenarios.Deep + 1]int{10, 40, 60}
)

// forms are texts that a careless host takes for something else, or changes on the way. The first ones have a name in them that
// nobody else draws.
var forms = []func(name string, letters int) string{
	func(name string, _ int) string { return name },
	func(name string, n int) string { return name + " " + strings.Repeat("x", n) },
	func(name string, _ int) string { return " " + name + "  " },
	func(name string, _ int) string { return "Zoë's \"" + name + "\" – 名前 🙂 \\n" },
	func(name string, _ int) string { return "line one\nline two\t" + name },
	func(name string, _ int) string { return `{"name":"` + name + `"}` },
	func(name string, _ int) string { return "${" + name + "} {{" + name + "}} %s" },
	func(string, int) string { return "" },
	func(string, int) string { return "0" },
	func(string, int) string { return "false" },
	func(string, int) string { return "null" },
	func(string, int) string { return "1e400" },
	func(string, int) string { return "[]" },
}

func text(h host.Host) string { return forms[h.Draw(form)](h.Marker(), h.Draw(letters)) }

// longest is the time that the turns of one program may take on a slow host.
const longest = 20 * time.Second

// readAgain is how many turns a loop has at most that is read several times.
const readAgain = 50

// most returns how many turns a loop of the host can be asked for, and why that is no more. A slow host is asked for the least at least.
func most(h host.Host, of *scenarios.Dimension) (n int, why string) {
	n, why = h.Ceiling()
	if turn := h.Pace.Turn(); turn > 0 {
		if slow := max(of.Least, int(longest/turn)); slow < n {
			n, why = slow, fmt.Sprintf("a turn was seen to take %s", turn.Round(time.Millisecond))
		}
	}
	const part = 20 // of the turns that a certification may ask for
	if few := max(of.Least, h.Most.Turns/part); h.Most.Turns > 0 && few < n {
		n, why = few, fmt.Sprintf("the operator allows %d turns in all", h.Most.Turns)
	}
	return n, why
}

// draw draws a program. A bounded one crosses its bound, behind a question where the counter is claimed to survive one; the others ask
// a person, and keep a bound if they have one.
func draw(h host.Host, workflow string, bounded bool) model.Program {
	ceiling, why := most(h, turns)
	p := model.Program{Workflow: workflow, Inputs: model.Values{}}
	staff := staffOf(h, workflow)
	if !bounded && ceiling > readAgain {
		ceiling, why = readAgain, "a loop that asks is read again at each question"
	}
	n := h.DrawUpTo(turns, ceiling, why)
	all := 0
	for range n - 1 {
		t := model.Turn{Workers: team(h, staff, all)}
		if len(p.Turns) > 0 && h.Rand.IntN(4) == 0 { // the same decision as before is another one all the same
			t = p.Turns[len(p.Turns)-1]
		}
		p.Turns, all = append(p.Turns, t), all+len(t.Workers)
	}
	p.Turns = append(p.Turns, model.Turn{Reason: "the end of " + h.Marker()})
	if bounded {
		withAll(p.Turns[:1], staff)
		p.Bound = h.DrawUpTo(bound, n-1, "a bound below the turns of its loop")
		if _, survives := claims.StatefulResume.Look(h.Discovery); survives && p.Bound > 1 && n <= readAgain {
			askWithin(h, p.Turns[1:p.Bound])
		}
	} else {
		asked := h.DrawUpTo(questions, n-2, "there are no more turns")
		places := h.Rand.Perm(n - 1)[:asked]
		for _, i := range places {
			p.Turns[i] = model.Turn{Prompt: "What of " + h.Marker() + "?"}
		}
		if h.Depth > scenarios.Quick && asked > 1 && h.Rand.IntN(3) > 0 { // who asks in the same words again wants another answer
			p.Turns[places[1]] = p.Turns[places[0]]
		}
		withAll(p.Turns, staff)
		for range h.Draw(beyond) {
			p.Turns = append(p.Turns, model.Turn{Workers: team(h, staff, 0)})
		}
		if h.Rand.IntN(2) == 0 && ceiling > n {
			p.Bound = n + h.DrawUpTo(room, ceiling-n, why)
		}
	}
	if workflow == fixture.Mapped {
		for _, variable := range []string{"said", "other", "spare"} {
			if variable != "spare" || !bounded && h.Rand.IntN(2) == 0 { // it has no value of its own
				p.Inputs[variable] = text(h)
			}
		}
		if slices.Contains(staff, fixture.EchoTyped) {
			values := typed(h, bounded)
			if !bounded && h.Depth > scenarios.Quick { // one of them has no value, so that nothing comes back of it
				delete(values, slices.Sorted(maps.Keys(values))[h.Rand.IntN(len(values))])
			}
			maps.Copy(p.Inputs, values)
		}
		if h.Depth > scenarios.Quick {
			maps.Copy(p.Inputs, former(h, slices.Contains(staff, fixture.EchoTyped)))
		}
	}
	return p
}

// askWithin has some of these turns ask a person.
func askWithin(h host.Host, turns []model.Turn) {
	places := h.Rand.Perm(len(turns))
	for _, i := range places[:min(len(places), h.Draw(questions))] {
		turns[i] = model.Turn{Prompt: "What of " + h.Marker() + "?"}
	}
}

// withAll has the last of these turns that is for workers be for all of the staff too, so that whatever is drawn each has its turn.
func withAll(turns []model.Turn, staff []string) {
	for i := len(turns) - 1; i >= 0; i-- {
		if t := &turns[i]; t.Workers != nil {
			t.Workers = slices.Concat(t.Workers, staff)
			return
		}
	}
}

// scripted is the program of a loop whose plan is its own, with a bound that is drawn: below its turns, or beyond them if there is one.
func scripted(h host.Host, workflow string, bounded bool) model.Program {
	p := model.Program{Workflow: workflow, Scripted: true, Inputs: model.Values{}}
	way, _ := host.ScriptOf(h, workflow)
	for _, d := range way.Decisions() {
		d, _ := d.(map[string]any)
		var t model.Turn
		if workers, is := d["nextWorkerIds"].([]any); is {
			for _, w := range workers {
				t.Workers = append(t.Workers, fmt.Sprint(w))
			}
		}
		if confidence, is := d["confidence"].(float64); is {
			t.Confidence = &confidence
		}
		t.Prompt, _ = d["prompt"].(string)
		t.Reason, _ = d["reason"].(string)
		p.Turns = append(p.Turns, t)
	}
	if bounded {
		p.Bound = h.DrawUpTo(bound, len(p.Turns)-1, "the plan is the fixture's own")
	}
	return p
}

// team draws the workers of a decision, in any order and any of them twice. before is how many the program has already.
func team(h host.Host, staff []string, before int) []string {
	n := h.Draw(workers)
	if before >= many[h.Depth] {
		n = 1
	}
	out := make([]string, n)
	for i := range out {
		out[i] = staff[h.Rand.IntN(len(staff))]
	}
	return out
}

// staff are the workers of programs. Each keeps what it is given, so that what it brings back is known.
var staff = []string{fixture.Echo, fixture.EchoAgain}

// staffOf are the workers of programs of a workflow: where values are mapped, one more for those that are no text.
func staffOf(h host.Host, workflow string) []string {
	if workflow == fixture.Mapped && h.Offers(fixture.EchoTyped) {
		return append(slices.Clone(staff), fixture.EchoTyped)
	}
	return staff
}
