package pages

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/openassay/assay/gen/openwopv1"
	"github.com/openassay/assay/simhost/console"
	"github.com/openassay/assay/simhost/openwop/engine/event"
	"github.com/openassay/assay/simhost/openwop/engine/state"
	"github.com/openassay/assay/simhost/openwop/surface"
)

// What one page shows of a run and the runs below it.
const (
	eventsShown = 1000 // of one run
	eventsInAll = 2500
	deepest     = 8 // children of children
)

// runView is a run as its page shows it.
type runView struct {
	runRow
	Live     string // topic of the whole tree
	Parent   string
	Source   string
	Inputs   map[string]any
	Values   map[string]any // variables that are no inputs, or have changed
	Error    *openwopv1.RunError
	Question *question
	Sections []section
	Total    int
	From     int // sequence of the first event that is shown
	Earlier  int // where the page before this one begins
	HasFiles bool
	Ended    bool
	Depth    int
	Remote   bool // it runs on another host, which has its log
	Cut      bool // there is no room for its events on this page
}

// section is a turn of the loop with its events, or what lies outside of turns.
type section struct {
	ID        string
	Title     string
	Iteration int
	Decision  string
	Files     int // how many the turn sees
	Events    []eventRow
	Took      string
}

// eventRow is an event in a timeline.
type eventRow struct {
	ID, Cause string
	CauseSeq  string // sequence of the cause where it is of the same run
	Sequence  int64
	Type      string
	Tone      string
	Node      string
	Gist      string
	At        time.Time
	After     string // since the run began
	Payload   json.RawMessage
	Children  []runView
}

func (v visitor) run(r *console.Request) error {
	from := -1
	if n, err := strconv.Atoi(r.URL.Query().Get("from")); err == nil {
		from = max(n, 0)
	}
	var view runView
	err := v.host.With(func(h *surface.Host) (err error) {
		t := teller{ctx: r.Context(), host: h, who: v.who, left: eventsInAll}
		view, err = t.tell(r.PathValue("run"), from, 0)
		if err != nil {
			return err
		}
		root := view.ID
		if view.Parent != "" {
			root, err = h.Root(r.Context(), v.who, view.ID)
		}
		view.Live = topicOf(root)
		return err
	})
	if err != nil {
		return err
	}
	return r.Show(console.Page{Template: "run", Title: view.Workflow, Here: "Runs", Body: view})
}

// teller makes a timeline of accounts.
type teller struct {
	ctx  context.Context
	host *surface.Host
	who  surface.Caller
	left int // events that still have room
}

// tell is a run with its children. from is the sequence to begin with, -1 for the last events that fit.
func (t *teller) tell(id string, from, depth int) (runView, error) {
	a, err := t.host.Run(t.ctx, t.who, id)
	if err != nil {
		return runView{}, err
	}
	s := a.Snapshot
	v := runView{
		runRow: rowOf(a), Parent: a.Lineage.ParentRunID, Source: a.Lineage.SourceRunID, Inputs: s.Inputs, Error: s.Error,
		Total: len(a.Events), HasFiles: a.Files != nil, Ended: !s.CompletedAt.IsZero(), Depth: depth,
	}
	v.Values = changed(s.Inputs, s.Variables)
	if v.Question, err = questionOf(s); err != nil {
		return v, err
	}
	if v.From = from; from < 0 {
		v.From = max(0, len(a.Events)-eventsShown)
	}
	v.From = min(v.From, len(a.Events))
	v.Earlier = max(0, v.From-eventsShown)
	shown := a.Events[v.From:min(v.From+eventsShown, len(a.Events))]
	if t.left -= len(shown); t.left < 0 && depth > 0 {
		v.Cut = true
		return v, nil
	}
	return v, t.fill(&v, a, shown)
}

// fill sorts the events into turns, and puts each child below the event that first names it.
func (t *teller) fill(v *runView, a state.Account, shown []event.Event) error {
	known := childrenOf(a.Snapshot)
	placed := map[string]bool{}
	for _, e := range a.Events[:v.From] {
		placed[childIn(e)] = true
	}
	places := make(map[string]int64, len(a.Events))
	for _, e := range a.Events {
		places[e.ID] = e.Sequence
	}
	turn := 0
	for turn < len(a.Turns) && a.Turns[turn].At <= int64(v.From) {
		turn++
	}
	v.open(a, turn)
	for _, e := range shown {
		for turn < len(a.Turns) && a.Turns[turn].At <= e.Sequence {
			turn++
			v.open(a, turn)
		}
		row := rowOfEvent(a, places, e)
		if child := childIn(e); child != "" && !placed[child] && known[child] != "" {
			placed[child] = true
			below, err := t.child(child, known[child], v.Depth+1)
			if err != nil {
				return err
			}
			row.Children = append(row.Children, below)
		}
		at := &v.Sections[len(v.Sections)-1]
		at.Events = append(at.Events, row)
		if e.Type == event.Decided {
			at.Decision = row.Gist
		}
	}
	v.dropEmpty()
	for i := range v.Sections {
		if events := v.Sections[i].Events; len(events) > 0 {
			v.Sections[i].Took = took(events[len(events)-1].At.Sub(events[0].At))
		}
	}
	return nil
}

// open begins the section of a turn, counted from 1; 0 is what comes before the first.
func (v *runView) open(a state.Account, turn int) {
	v.dropEmpty()
	s := section{ID: fmt.Sprintf("%s-turn-%d", v.ID, turn)}
	switch {
	case turn > 0:
		begun := a.Turns[turn-1]
		s.Iteration, s.Files = begun.Iteration, len(begun.Files)
		s.Title = fmt.Sprintf("Turn %d", begun.Iteration)
	case len(a.Turns) > 0:
		s.Title = "Before the loop"
	default:
		s.Title = "Events"
	}
	v.Sections = append(v.Sections, s)
}

// dropEmpty lets go of the last section where nothing happened in it.
func (v *runView) dropEmpty() {
	if n := len(v.Sections); n > 0 && len(v.Sections[n-1].Events) == 0 {
		v.Sections = v.Sections[:n-1]
	}
}

// child is a run that this one dispatched, here or on another host.
func (t *teller) child(id, workflow string, depth int) (runView, error) {
	elsewhere := runView{runRow: runRow{ID: id, Workflow: workflow}, Depth: depth, Remote: true}
	if depth > deepest {
		elsewhere.Remote, elsewhere.Cut = false, true
		return elsewhere, nil
	}
	v, err := t.tell(id, 0, depth)
	if surface.IsMissing(err) {
		return elsewhere, nil
	}
	return v, err
}

// childrenOf are the workflows of the runs that a run dispatched, by their ids.
func childrenOf(s openwopv1.RunSnapshot) map[string]string {
	known := map[string]string{}
	for _, raw := range s.ChildRuns {
		var child struct{ RunID, WorkflowID string }
		if json.Unmarshal(raw, &child) == nil {
			known[child.RunID] = child.WorkflowID
		}
	}
	return known
}

// childIn is the child that an event is about.
func childIn(e event.Event) string {
	var p struct {
		ChildRunID string `json:"childRunId"`
	}
	_ = json.Unmarshal(e.Payload, &p) // a payload of another shape names none
	return p.ChildRunID
}

// changed are the variables that are not as they came in.
func changed(inputs, variables map[string]any) map[string]any {
	values := map[string]any{}
	for name, value := range variables {
		if given, ok := inputs[name]; !ok || console.Pretty(given) != console.Pretty(value) {
			values[name] = value
		}
	}
	return values
}

// rowOfEvent is a row. places are the sequences of the events of the run, by id.
func rowOfEvent(a state.Account, places map[string]int64, e event.Event) eventRow {
	row := eventRow{
		ID: e.ID, Cause: e.CausationID, Sequence: e.Sequence, Type: string(e.Type), Tone: tone(e.Type), Node: e.NodeID,
		At: e.Timestamp, After: took(e.Timestamp.Sub(a.Snapshot.StartedAt)), Payload: e.Payload, Gist: gist(e),
	}
	if seq, here := places[e.CausationID]; here {
		row.CauseSeq = strconv.FormatInt(seq, 10)
	}
	return row
}

// tone is the colour of an event.
func tone(t event.Type) string {
	name := string(t)
	switch {
	case strings.HasSuffix(name, ".failed"), strings.HasSuffix(name, ".breached"), strings.HasSuffix(name, "iverged"),
		strings.HasSuffix(name, ".rejected"):
		return "bad"
	case name == "run.completed":
		return "good"
	case strings.HasPrefix(name, "runOrchestrator."):
		return "turn-event"
	case strings.HasPrefix(name, "interrupt."), strings.HasSuffix(name, ".suspended"), strings.HasPrefix(name, "approval."):
		return "warn"
	}
	return "calm"
}

// gist is what an event says in a few words.
func gist(e event.Event) string {
	var p struct {
		Phase, Kind, Name, Path, Reason, WorkflowID, ChildWorkflowID, WorkerID, Verdict, FinalState, InterruptID string
		Version                                                                                                  int64
		Decision                                                                                                 struct {
			Kind, Prompt, Reason string
			NextWorkerIDs        []string `json:"nextWorkerIds"`
		}
		Error struct{ Code, Message string }
		Next  json.RawMessage
		Data  struct {
			Title     string
			Questions []struct{ Question string }
		}
		ResumeValue json.RawMessage
		Prompt      string
	}
	if json.Unmarshal(e.Payload, &p) != nil { // a shape of somebody else's
		return ""
	}
	var said string
	switch {
	case p.Decision.Kind != "":
		said = strings.TrimSpace(p.Decision.Kind + " " + cmp.Or(strings.Join(p.Decision.NextWorkerIDs, ", "), p.Decision.Prompt,
			p.Decision.Reason))
	case p.Error.Code != "":
		said = p.Error.Code + ": " + p.Error.Message
	case p.Phase != "":
		said = p.Phase + " " + p.WorkerID
	case len(p.Data.Questions) > 0:
		said = p.Data.Questions[0].Question
	case p.Data.Title != "":
		said = p.Data.Title
	case p.Path != "":
		said = fmt.Sprintf("%s, version %d", p.Path, p.Version)
	case p.Name != "":
		said = p.Name + " = " + string(p.Next)
	case len(p.ResumeValue) > 0:
		said = string(p.ResumeValue)
	default:
		said = cmp.Or(p.ChildWorkflowID, p.WorkflowID, p.Verdict, p.Kind, p.Reason)
	}
	const most = 160
	if r := []rune(said); len(r) > most {
		said = string(r[:most]) + "…"
	}
	return said
}
