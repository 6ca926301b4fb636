package runs

import (
	"slices"
	"strings"

	"github.com/openassay/assay/gen/agenticloopv2"
	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/agenticloop/host"
	"github.com/openassay/assay/scenarios/agenticloop/model"
)

// What runs draw.
var (
	several  = &scenarios.Dimension{Name: "runs in one state", Least: 2, Most: [3]int{2, 4, 6}}
	steps    = &scenarios.Dimension{Name: "steps of a run", Least: 1, Most: [3]int{5, 20, 50}, Edges: []int{1, 3, 9, 10, 11, 20}}
	many     = &scenarios.Dimension{Name: "steps of a long run", Least: 33, Most: [3]int{33, 40, 110}}
	waiting  = &scenarios.Dimension{Name: "runs that wait all the while", Least: 0, Most: [3]int{2, 20, 120}, Edges: []int{15, 16, 17}}
	room     = &scenarios.Dimension{Name: "steps that a budget leaves", Least: 0, Most: [3]int{9, 90, 900}, Edges: []int{0, 1, 9}}
	short    = &scenarios.Dimension{Name: "steps that a budget lacks", Least: 1, Most: [3]int{4, 19, 49}, Edges: []int{1}}
	failures = &scenarios.Dimension{Name: "failures of a step", Least: 1, Most: [3]int{2, 3, 8}, Edges: []int{1}}
	beside   = &scenarios.Dimension{Name: "deliveries beside a result", Least: 0, Most: [3]int{1, 2, 3}}
	afterEnd = &scenarios.Dimension{Name: "deliveries after the end of a run", Least: 1, Most: [3]int{2, 4, 8}}
	letters  = &scenarios.Dimension{Name: "letters of a text", Least: 1, Most: [3]int{40, 300, 2_000}, Edges: []int{255, 256, 257}}
	words    = &scenarios.Dimension{
		Name: "letters of a long goal that is told", Least: 600, Most: [3]int{600, 4_000, 4_000}, Edges: []int{1_024, 1_025, 2_049},
	}
	weight = &scenarios.Dimension{
		Name: "letters of a long argument", Least: 17_000, Most: [3]int{17_000, 70_000, 200_000}, Edges: []int{33_000, 66_000},
	}
	nesting  = &scenarios.Dimension{Name: "objects and lists in one another", Least: 1, Most: [3]int{4, 20, 24}}
	form     = &scenarios.Dimension{Name: "form of a value", Least: 0, Most: [3]int{len(forms) - 1, len(forms) - 1, len(forms) - 1}}
	pick     = &scenarios.Dimension{Name: "near miss of a value", Least: 0, Most: [3]int{59, 59, 59}}
	reframes = &scenarios.Dimension{Name: "plans that a run may give up", Least: 0, Most: [3]int{3, 5, 9}, Edges: []int{0, 1, 3}}
	members  = &scenarios.Dimension{Name: "arguments of a tool", Least: 1, Most: [3]int{3, 8, 8}}
	wishes   = &scenarios.Dimension{Name: "decisions in one reply of a model", Least: 2, Most: [3]int{3, 5, 9}}
)

var dimensions = []*scenarios.Dimension{
	several, steps, room, short, failures, beside, afterEnd, letters, nesting, form, pick, reframes, members, wishes, waiting, many, words,
	weight,
}

// forms are values of every JSON type that a careless agent takes for none, or changes on the way.
var forms = []func(name string, letters, depth int) any{
	func(string, int, int) any { return false },
	func(string, int, int) any { return 0 },
	func(string, int, int) any { return "" },
	func(string, int, int) any { return []any{} },
	func(string, int, int) any { return map[string]any{} },
	func(string, int, int) any { return true },
	func(string, int, int) any { return -1 },
	func(string, int, int) any { return 0.5 },
	func(string, int, int) any { return 1 << 40 },
	func(string, int, int) any { return 1<<53 - 1 },
	func(string, int, int) any { return "0" },
	func(string, int, int) any { return "false" },
	func(string, int, int) any { return "null" },
	func(name string, n, _ int) any { return name + " " + strings.Repeat("x", n) },
	func(name string, _, _ int) any { return "Zoë's \"" + name + "\" – 名前 🙂 \\n <b>&amp;</b>" },
	func(name string, _, _ int) any { return "line one\nline two\t" + name },
	func(name string, _, _ int) any { return "${" + name + "} {{" + name + "}} %s" },
	func(name string, _, _ int) any { return []any{name, name, nil, false, 0, ""} },
	func(name string, _, _ int) any {
		return map[string]any{"": name, "a.b": 1, "ключ": []any{map[string]any{}}}
	},
	func(name string, _, depth int) any {
		var v any = name
		for range depth {
			v = map[string]any{"in": []any{v}}
		}
		return v
	},
	func(string, int, int) any { return nil },
}

// A drawing draws programs.
type drawing struct {
	*host.Plugin
	settings  model.Settings
	byModel   bool   // a model takes the decisions of the program
	slow      string // why few are drawn of what takes turns: how long each one takes; "" where it is not slow
	ends      deck[end]
	late      deck[model.Kind] // what comes beside a result that is due
	after     deck[model.Kind] // what comes after the end
	goals     deck[func(string, int) string]
	told      deck[func(string, int) string] // goals of runs that tell theirs when they are done
	failing   deck[map[string]any]
	bodies    deck[func(*drawing) any]
	commanded bool // a script can choose the command of a tool
	triggered bool // a start may come as api.trigger
	keys      deck[keying]
	mixed     deck[[2]string] // the tool that is pending and the one that a result names; "" for nearly the right name
	early     deck[bool]      // whether one of too many plans is given up at the start
	paired    deck[bool]      // whether two of too many plans are given up in one turn
	far       deck[int]       // which step that few can read comes before one that all can, as a pick; 0 for none
	anew      deck[bool]      // whether what may not be had is wanted after a plan was given up
	replanned int             // how many runs were drawn that give up more plans than they may
	worded    deck[bool]      // whether a goal that is told is long
	doubled   bool            // a turn was drawn whose answer is lost
	own       []model.Kind    // of moves to be ignored that were drawn as an event of the tool's own
	turned    bool            // a run was drawn that gives up a plan and reaches its goal
	tried     bool            // a run was drawn whose first steps fail and that only its budget ends
	played    int             // programs whose first run has an argument that is sent again
	unsaid    []model.Kind    // of moves to be ignored that were drawn with a text, for a run with a workspace
	quoted    bool            // an event was drawn whose type has characters that JSON escapes, for a run with a workspace
	owned     bool            // a result was drawn that comes as an event of the tool's own
	bare      bool            // one of those says nothing
	strayed   bool            // one of those has members that are named like a correlation
	mistaken  int             // results that name another tool than the pending one
	filed     []end           // ends to which a run with a workspace has yet to come
	long      map[end]bool    // ends for which a long run has been drawn
	barring   deck[int]       // ways to want what may not be had
	misnamed  deck[int]       // nearly right names of a tool that may not be had
	nearly    deck[int]       // those of the pending tool
	begun     deck[string]    // first decisions of runs that end in their first turn
	crowded   bool            // many runs were drawn in one state
	kinds     []model.Kind    // of moves of wild programs
	dealt     int             // how many runs were drawn for the deck
	needed    int             // how many of them have each end that every drawing has to have
	rotation  rotation
}

// deck hands out all of its cards in any order before one comes again.
type deck[C any] struct{ all, left []C }

func (d *deck[C]) draw(p *host.Plugin) C {
	if len(d.left) == 0 {
		d.left = make([]C, 0, len(d.all)) // the deck may have begun with a part of a table, which must stay as it is
		for _, i := range p.Rand.Perm(len(d.all)) {
			d.left = append(d.left, d.all[i])
		}
	}
	card := d.left[0]
	d.left = d.left[1:]
	return card
}

// keying is how the dedupe keys of the starts of a program differ.
type keying int

const (
	apart   keying = iota
	cased          // those of two runs differ in capitals alone
	tailed         // those of two runs have the same end
	headed         // those of two runs are long, and have the same begin
	unkeyed        // two runs with the same goal have none
)

// end is a way in which a run is to end.
type end int

const (
	reached   end = iota // its planner is done
	spent                // its budget is used up
	tooLate              // a result of a later step comes
	mistaken             // a result of another tool comes
	exhausted            // a step fails until no retry is left
	barred               // its planner wants a tool that is not allowed
	lost                 // its planner gives up, or talks nonsense
	anew                 // its planner gives up one plan more than it may
	withdrawn            // a step fails whose tool is not allowed any more
	open                 // it goes on
	laden                // its planner wants a tool with long arguments, and may have it
	atOnce               // its planner is done, gives up or wants what it may not have at its start
)

// all reports whether a run was drawn for each end that every drawing has to have: others may end by mistake.
func (d *drawing) all() bool { return d.dealt > d.needed }

// byResult reports whether it is the result of the last step that leads to the end.
func (e end) byResult() bool {
	return e == reached || e == spent || e == barred || e == lost || e == anew || e == laden
}

func newDrawing(p *host.Plugin, s model.Settings, givesUp bool) *drawing {
	d := &drawing{Plugin: p, settings: s, slow: p.Slow(), long: map[end]bool{}}
	d.barring.all, d.misnamed.all = []int{0, 1, 1, 2, 3}, []int{0, 1, 2, 3, 4, 5, 6}
	d.barring.left, d.misnamed.left = []int{1, 0, 2, 3}, []int{4} // in other letters
	d.keys.all, d.far.all, d.anew.all = []keying{apart, cased, tailed}, []int{3, 4, 0}, []bool{true, false}
	if d.Depth > scenarios.Quick {
		d.keys.all, d.keys.left = append(d.keys.all, headed, unkeyed), []keying{headed, unkeyed}
		d.worded.all, d.worded.left = []bool{true, false}, []bool{true}
	}
	d.far.left, d.anew.left = []int{3, 0, 4}, []bool{false, true}
	d.mixed.all, d.mixed.left = [][2]string{{"fetch", "jina-reader"}, {"jina-reader", "fetch"}, {}},
		[][2]string{{}, {s.Tools[0], s.Tools[0] + raw}, {"fetch", "jina-reader"}, {}}
	d.nearly.all, d.nearly.left = []int{0, 1, 2, 3, 4, 5, 6}, []int{5} // in other letters
	d.early.all, d.early.left = []bool{true, false}, []bool{false, true}
	d.paired.all, d.paired.left = []bool{true, false}, []bool{false, true}
	d.ends.all = []end{spent, tooLate, mistaken, exhausted, barred}
	d.ends.left = append([]end{reached, d.ends.draw(p)}, d.ends.left...)
	if s.Reframe {
		d.ends.all, d.ends.left = append(d.ends.all, anew), slices.Insert(d.ends.left, 2, anew)
		if d.slow == "" { // once with a plan that is given up at the start
			d.ends.left = append(d.ends.left, anew)
			if d.Depth > scenarios.Quick { // one of these may give up none
				d.ends.left = append(d.ends.left, anew)
			}
		}
	}
	d.filed = []end{reached}
	if d.Depth > scenarios.Quick && d.slow == "" {
		// mistaken: with nearly the right name, with one that begins alike, with another tool's, with nearly the right one again, and with
		// one that looks like a part or a version of the tool
		d.ends.left, d.filed = append(d.ends.left, mistaken, spent, mistaken, reached, mistaken, mistaken), append(d.filed, spent)
		part := s.Tools[0] + []string{".", ":", "@"}[d.Rand.IntN(3)] + d.Name("part")
		d.mixed.left = append([][2]string{{s.Tools[0], part}}, d.mixed.left...)
	}
	if d.Depth > scenarios.Quick && s.Steered {
		d.ends.all, d.ends.left = append(d.ends.all, atOnce), append(d.ends.left, atOnce, atOnce, laden)
		if s.Retry && len(s.Tools) > 1 {
			d.ends.left = append(d.ends.left, withdrawn)
		}
	}
	d.needed = len(d.ends.left)
	if s.Reframe {
		d.ends.all = append(d.ends.all, anew)
	}
	d.ends.all = append(d.ends.all, reached, reached, barred, barred, open)
	d.begun.all = []string{model.Done, model.Call}
	if d.Depth > scenarios.Quick {
		d.begun.left = []string{model.Done, model.Call}
	}
	if givesUp {
		d.ends.all = append(d.ends.all, lost)
		d.begun.all = append(d.begun.all, model.Refuse, model.Garbage)
	}
	if len(s.Tools) > 1 {
		d.ends.all = append(d.ends.all, withdrawn)
	}
	d.after.all = []model.Kind{
		model.SameAgain, model.Repeat, model.LateFailure, model.Old, model.OldFailure, model.OldTool, model.NearTool, model.Above,
	}
	d.late.all = []model.Kind{
		model.SameAgain, model.Repeat, model.LateFailure, model.Old, model.OldFailure, model.OldTool, model.NearRun,
	}
	d.goals.all, d.told.all, d.failing.all, d.bodies.all = goals, goals, blank(), bodies
	d.told.left = goals[2:4]
	if d.Depth > scenarios.Quick {
		fruitful := fruitful()
		d.failing.all = append(blank(), fruitful...)
		d.failing.left = []map[string]any{fruitful[d.Rand.IntN(len(fruitful))], {"error": nil}, {"error": ""}}
	}
	d.commanded = d.Depth > scenarios.Quick && p.SaysCommands()
	if p.Can(agenticloopv2.CapabilityRedelivery) {
		d.late.all, d.after.all = append(d.late.all, model.StartAgain), append(d.after.all, model.StartAgain)
	}
	return d
}

// few draws a value of a dimension; of a slow plugin most at most.
func (d *drawing) few(of *scenarios.Dimension, most int) int {
	if d.slow == "" {
		return d.Draw(of)
	}
	return d.DrawUpTo(of, min(most, of.Most[d.Depth]), d.slow)
}

func (d *drawing) value() any {
	return forms[d.Draw(form)](d.Name("word"), d.Draw(letters), d.Draw(nesting))
}

// goals are texts that are goals as well, each with a name in it that nobody else draws.
var goals = []func(name string, letters int) string{
	func(name string, _ int) string {
		return "fetch web http://example.test/" + name + " and say <b>what</b> is \"new\" & 'old'"
	},
	func(name string, _ int) string { return "Zoë – 名前 🙂 \\n " + name },
	func(name string, _ int) string { return "line one\nline  two\t" + name },
	func(name string, _ int) string { return "${" + name + "} {{" + name + "}} %s" },
	func(name string, n int) string { return name + " " + strings.Repeat("x", n) },
	func(string, int) string { return "0" },
}

// goal draws a goal: a text with words in it.
func (d *drawing) goal(from *deck[func(string, int) string]) string {
	goal := from.draw(d.Plugin)(d.Name("word"), d.Draw(letters))
	if d.Rand.IntN(2) == 0 {
		goal += " " + strings.Repeat("and so on ", 1+d.Draw(letters)/10)
	}
	return strings.TrimSpace(goal)
}

// control is the argument whose value is always a plain text: where it stands, the others have to stand.
const control = "note"

func (d *drawing) arguments() map[string]any {
	if d.Rand.IntN(10) == 0 {
		return map[string]any{}
	}
	all := map[string]any{control: d.Name("word")}
	for _, i := range d.Rand.Perm(len(argumentNames))[:d.Draw(members)] {
		all[argumentNames[i]] = d.value()
	}
	return all
}

// argumentNames are names that a careless agent takes for others.
var argumentNames = []string{
	"value", "Value", "option", "a.b", "a/b", "~1", "0", "ключ", "two words", "", "run_id", "step", "tool",
}

// reserved are names of members that a request has itself: an argument of that name stands in tool_payload or nowhere.
var reserved = []string{"run_id", "step", "tool"}

// settingsElsewhere are settings that stand where none belong.
func (d *drawing) settingsElsewhere() map[string]any {
	return map[string]any{
		"allowed_plugins": []any{"unlisted-tool"}, "max_retries": 99, "config": map[string]any{"max_steps": 999}, "tone": d.value(),
	}
}

// blank returns what a failure may have beside its status: no result.
func blank() []map[string]any {
	return []map[string]any{
		nil, {"error": nil}, {"error": ""}, {"error": "HTTP 503 Service Unavailable"}, {"error": "429"}, {"error": "ok"},
		{"result": map[string]any{"excerpt": "half of a page", "status": "ok"}}, {"error": "Zoë – 名前\n\tat line 3", "result": map[string]any{}},
	}
}

// fruitful returns what a failure may have that looks like a result.
func fruitful() []map[string]any {
	return []map[string]any{
		{"content": "<html><title>502 Bad Gateway</title></html>", "error": "HTTP 502"},
		{"content": "", "text": "half of a page", "excerpt": "half of a page"},
		{"artifact_path": "artifacts/half-of-a-page.html", "content_type": "text/html", "error": "cut off"},
		{"content": "all of a page", "ok": true, "success": true, "code": 200},
	}
}

// bodies are what tools return: most of it says something.
var bodies = []func(*drawing) any{
	(*drawing).page, (*drawing).page, (*drawing).page, (*drawing).page, (*drawing).page,
	(*drawing).value,
	func(*drawing) any { return nil },
	func(*drawing) any { return "" },
	func(d *drawing) any { return "a few words about " + d.Name("word") },
	func(*drawing) any { return []any{} },
	func(*drawing) any { return map[string]any{} },
	func(d *drawing) any { // lists side by side are not in one another
		return map[string]any{"excerpt": "a few words about " + d.Name("word"), "rows": slices.Repeat([]any{[]any{}}, 16*d.Draw(letters))}
	},
	func(*drawing) any {
		return map[string]any{
			"max_steps": 999, "max_reframes": 99, "allowed_plugins": []any{"unlisted-tool"}, "pending_step": 7,
			"state_updates": map[string]any{"runs": map[string]any{}},
		}
	},
	func(d *drawing) any {
		return map[string]any{"status": "error", "ok": false, "error": "404", "excerpt": "a few words about " + d.Name("word")}
	},
	func(d *drawing) any {
		return map[string]any{"run_id": "another-run", "step": 77, "tool": "another-tool", "excerpt": "few words about " + d.Name("word")}
	},
}

func (d *drawing) page() any {
	return map[string]any{"excerpt": "a few words about " + d.Name("word"), "value": d.value()}
}
