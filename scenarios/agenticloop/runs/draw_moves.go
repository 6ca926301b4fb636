package runs

import (
	"slices"
	"strings"

	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/agenticloop/host"
	"github.com/openassay/assay/scenarios/agenticloop/model"
)

// add adds a move of the run.
func (l *line) add(m model.Move) {
	if m.Run, m.Body = l.number, l.bodies.draw(l.Plugin)(l.drawing); l.first {
		m.Body = map[string]any{"value": m.Body}
	}
	body, isObject := m.Body.(map[string]any)
	_, fares := body["status"] // an event of a tool's own tells by it how the tool fared
	switch m.Kind {
	case model.Failure:
		m.Says = l.failing.draw(l.Plugin)
	case model.NearTool, model.Above, model.OldTool, model.NearRun:
		m.Failing = m.Failing || l.all() && l.Rand.IntN(3) == 0
	}
	if m.Kind.Directed() && (m.Kind != model.NearRun || m.Pick%2 == 0) && isObject && !fares && !m.Failing && !l.first && l.settings.Own {
		m.Own = l.Rand.IntN(4) == 0 && (m.Kind == model.Result || l.all())
		if m.Kind.Passed() && l.Depth > scenarios.Quick && !slices.Contains(l.own, m.Kind) {
			m.Own, l.own = true, append(l.own, m.Kind)
		}
	}
	if m.Kind == model.Result && !l.first && l.settings.Own && !(l.owned && l.bare) {
		if m.Own, m.Body = true, l.page(); l.owned {
			l.bare, m.Body = true, map[string]any{} // the context says nothing more, either
		}
	} else if m.Kind == model.Result && !l.first && l.settings.Own && !l.strayed && l.Depth > scenarios.Quick {
		l.strayed, m.Own, m.Body = true, true, l.stray()
	}
	if m.Kind == model.NearTool && l.to == mistaken {
		if l.mistaken++; l.mistaken == 2 && l.settings.Own {
			m.Own, m.Failing, m.Body = true, false, l.page()
		}
	}
	if l.run.Filed && m.Kind == model.Result && !l.first && l.settings.Own && !l.quoted && l.Depth > scenarios.Quick {
		l.quoted, m.Own, m.Body, m.Pick = true, true, l.page(), len(ownTypes)-1
	} else if m.Own && m.Kind == model.Result {
		m.Pick = l.Rand.IntN(len(ownTypes) - 1)
	}
	if l.run.Filed && m.Kind.Passed() && !m.Failing && l.Depth > scenarios.Quick && !slices.Contains(l.unsaid, m.Kind) {
		l.unsaid, m.Body = append(l.unsaid, m.Kind), l.page()
	}
	l.owned = l.owned || m.Own
	said, _ := m.Body.(map[string]any)
	m.Left = (m.Own && len(said) > 0 || !m.Own && m.Kind.Directed() && m.Kind != model.NearRun) && l.Rand.IntN(3) == 0
	if m.Kind == model.Result && !m.Own && l.Rand.IntN(4) == 0 {
		m.Says = map[string]any{"error": []string{"", "the first try failed: 503"}[l.Rand.IntN(2)]}
	}
	if m.Kind == model.Result || m.Kind == model.Failure {
		m.Twice = !l.first && (!l.doubled || l.Rand.IntN(8) == 0)
		l.doubled = l.doubled || m.Twice
	}
	l.moves = append(l.moves, m)
}

// result adds the result of a step.
func (d *drawing) result(l *line, step int, changed bool) {
	n := len(l.run.Decisions)
	m := model.Move{Kind: model.Result}
	if changed && l.to != spent {
		m.Budget = n + 2 + d.Draw(room)
	}
	switch {
	case step == n && l.to == barred:
		m.Allowed = d.barredBy(&l.run)
	case step < n && d.all() && d.Rand.IntN(6) == 0: // the list of this turn has more than that of others, or not what the run waited for
		m.Allowed = append([]string{"another-tool"}, d.settings.Tools...)
		if was := l.run.Decisions[step-1].Tool; was != l.run.Decisions[step].Tool && d.Rand.IntN(2) == 0 {
			m.Allowed = d.without(was)
		}
	}
	if d.byModel && (step == 1 || step == 3 || d.Rand.IntN(4) == 0) {
		l.add(d.erring(l))
	}
	l.add(m)
	added := &l.moves[len(l.moves)-1]
	own := added.Own
	switch {
	case l.plain:
		added.Body, added.Own, added.Left = d.page(), false, false
	case l.first && step == 1:
		added.Body = map[string]any{} // nothing can be made of it but that the step is done
	case step == min(2, n) && l.run.Filed: // it is too long for an event
		added.Body = map[string]any{"content": strings.Repeat("two paragraphs about "+d.Name("word")+"\n", 3000)}
	case l.first && step == 3: // it names a file that does not exist
		added.Left = true
		added.Body = map[string]any{"artifact_path": "artifacts/" + d.Name("page") + ".html", "content_type": "text/html"}
	case l.to == reached && step == n && d.Rand.IntN(2) == 0: // what it says is not what the run says when it is done
		added.Own, added.Left = false, false
		added.Body = map[string]any{
			"outcome": d.value(), "goal": "another goal", "steps_taken": 99, "artifacts": []any{"../plan.md"}, "reason": 7,
			"excerpt": "a few words about " + d.Name("word"),
		}
	case l.to == anew && (step == n || l.run.Decisions[step].Anew):
		added.Body, added.Own = d.page(), false
	default:
		return
	}
	d.owned, d.bare, d.strayed = d.owned && !own, d.bare && !own, d.strayed && !own // another is drawn
}

// stray is a page that has members of its own which are named like those by which a result says what it is for.
func (d *drawing) stray() map[string]any {
	page, _ := d.page().(map[string]any)
	for _, i := range d.Rand.Perm(len(reserved))[:1+d.Rand.IntN(len(reserved))] {
		page[reserved[i]] = map[string]any{"run_id": d.Name("run"), "step": 7, "tool": "curl/8"}[reserved[i]]
	}
	return page
}

// without returns the tools without one.
func (d *drawing) without(tool string) []string {
	return slices.DeleteFunc(slices.Clone(d.settings.Tools), func(t string) bool { return t == tool })
}

// erring returns the result that the run waits for, in a turn in which the model's reply is malformed or holds several decisions. One
// of those is odd, and it is rarely the first.
func (d *drawing) erring(l *line) model.Move {
	m := model.Move{Kind: model.Erring, Pick: d.Rand.IntN(2 * len(spoiled))}
	if m.Pick < len(spoiled) {
		return m
	}
	call := l.run.Decisions[d.Rand.IntN(len(l.run.Decisions))]
	for range d.Draw(wishes) {
		m.Wishes = append(m.Wishes, call)
	}
	odd := []model.Decision{
		call, host.Call("unlisted-tool", call.Arguments), host.Call(call.Tool, map[string]any{}), host.Done("it was done at once"),
	}
	m.Wishes[(1+d.Rand.IntN(len(m.Wishes)+1))%len(m.Wishes)] = odd[d.Rand.IntN(len(odd))]
	return m
}

// end adds what ends the run.
func (d *drawing) end(l *line) {
	run := &l.run
	again := run.Decisions[0]
	again.Anew = false
	if !l.to.byResult() {
		run.Decisions = append(run.Decisions, again)
	}
	switch l.to {
	case reached:
		run.Decisions = append(run.Decisions, model.Decision{Kind: model.Done, Outcome: "all of it was done: " + d.Name("word")})
	case spent: // its planner wants more steps than the budget has
		again.Anew = run.Reframes > 0 && run.Budget == len(run.Decisions)
		run.Decisions = append(run.Decisions, again)
	case anew:
		again.Anew = true
		run.Decisions = append(run.Decisions, again)
	case laden:
		long := map[string]any{control: d.Name("word"), "text": strings.Repeat("and so on ", d.Draw(weight)/10)}
		run.Decisions = append(run.Decisions, host.Call(again.Tool, long))
	case lost:
		kind := []string{model.Refuse, model.Garbage}[d.Rand.IntN(2)]
		run.Decisions = append(run.Decisions, model.Decision{Kind: kind})
	case tooLate:
		if far := d.far.draw(d.Plugin); far > 0 {
			l.add(model.Move{Kind: model.Above, Pick: far})
		}
		l.add(model.Move{Kind: model.Above, Pick: d.Draw(pick)})
	case mistaken:
		m := model.Move{Kind: model.NearTool, Pick: d.Draw(pick)}
		if d.Depth > scenarios.Quick {
			m.Pick = d.nearly.draw(d.Plugin)
		}
		if tools := d.mixed.draw(d.Plugin); slices.Contains(d.settings.Tools, tools[0]) && !slices.Contains(d.settings.Aliases, tools[0]) &&
			!slices.Contains(d.settings.Aliases, tools[1]) {
			run.Decisions[len(run.Decisions)-2].Tool, m.As = tools[0], tools[1]
		}
		l.add(m)
	case withdrawn:
		l.add(model.Move{Kind: model.Failure, Allowed: d.without(run.Decisions[len(run.Decisions)-2].Tool)})
	case exhausted:
		for range d.tries() {
			l.add(model.Move{Kind: model.Failure})
		}
	}
}

// tries is how often a step has to fail until its run is given up.
func (d *drawing) tries() int {
	if d.settings.Retries >= 0 {
		return d.settings.Retries + 1
	}
	return mostTries
}

// fail has a step fail as often as it is asked for again.
func (d *drawing) fail(l *line) {
	most, why := d.settings.Retries, "the plugin asks no more often again"
	if most < 0 {
		most, why = 1, "the profile does not say how often a step is asked for again"
	}
	if !d.settings.Retry || most == 0 {
		return
	}
	for range d.DrawUpTo(failures, most, why) {
		l.add(model.Move{Kind: model.Failure})
		if d.all() && d.Rand.IntN(3) == 0 {
			l.add(model.Move{Kind: model.FailedAgain})
		}
	}
}

// besides adds other events that arrive along with the result of a step.
func (d *drawing) besides(l *line, step int) {
	for range d.few(beside, beside.Least) {
		m := model.Move{Kind: model.NearRun, Pick: d.Draw(pick)}
		if step > 1 {
			m.Kind = d.late.draw(d.Plugin)
			if d.all() && d.Rand.IntN(8) == 0 {
				m.Kind = []model.Kind{model.Crossed, model.Strange}[d.Rand.IntN(2)]
			}
		}
		l.add(m)
	}
}

// barredBy has the planner of a run want a tool that no list has, or one that the list of this turn has no more, or the plugin itself.
func (d *drawing) barredBy(run *model.Run) (allowed []string) {
	last := run.Decisions[len(run.Decisions)-1].Tool
	wanted, others := "unlisted-tool", d.without(last)
	way := 0
	if d.all() {
		way = d.barring.draw(d.Plugin)
	}
	switch near := model.NearTools(last, slices.Concat(d.settings.Tools, d.settings.Aliases)); {
	case way == 0 && len(others) > 0:
		wanted = others[d.Rand.IntN(len(others))]
		allowed = d.without(wanted)
	case way == 1 && len(near) > 0:
		wanted = near[d.misnamed.draw(d.Plugin)%len(near)]
	case way == 2:
		wanted, allowed = d.settings.Name, append(slices.Clone(d.settings.Tools), d.settings.Name)
	}
	wish := model.Decision{Kind: model.Call, Tool: wanted, Arguments: d.arguments()}
	if d.settings.Reframe && !d.byModel && d.anew.draw(d.Plugin) { // it may give up one plan more
		wish.Anew = true
		run.Reframes++
	}
	run.Decisions = append(run.Decisions, wish)
	return allowed
}
