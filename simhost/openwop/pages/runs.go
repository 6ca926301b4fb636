package pages

import (
	"bytes"
	"encoding/json"
	"net/http"
	"slices"
	"sort"
	"strconv"
	"strings"
	"time"

	"github.com/openassay/assay/gen/openwopv1"
	"github.com/openassay/assay/simhost/console"
	"github.com/openassay/assay/simhost/openwop/engine/state"
	"github.com/openassay/assay/simhost/openwop/surface"
)

// runsShown is how many runs one page lists.
const runsShown = 60

// runRow is a run in a list.
type runRow struct {
	ID, Workflow string
	Status       string
	Kind         string // colour of the status
	Paused       bool
	Iteration    int
	Started      time.Time
	Took         string // "" as long as it goes on
	Asks         string // what it waits for
	Failed       string // why it failed
	Fork         bool
	Children     []runRow
}

type runsPage struct {
	Rows  []runRow
	Older uint64
	Below uint64
	Find  string
}

func rowOf(a state.Account) runRow {
	s := a.Snapshot
	row := runRow{
		ID: s.RunID, Workflow: s.WorkflowID, Status: string(s.Status), Kind: kind(s.Status), Paused: a.Paused, Iteration: a.Iteration,
		Started: s.StartedAt, Fork: a.Lineage.SourceRunID != "",
	}
	if !s.CompletedAt.IsZero() {
		row.Took = took(s.CompletedAt.Sub(s.StartedAt))
	}
	if s.Interrupt != nil && s.Interrupt.Kind != nil {
		row.Asks = *s.Interrupt.Kind
	}
	if s.Error != nil {
		row.Failed = s.Error.Code
	}
	return row
}

func took(d time.Duration) string {
	switch {
	case d < time.Second:
		return strconv.FormatFloat(float64(d.Microseconds())/1000, 'f', -1, 64) + " ms"
	case d < time.Minute:
		return strconv.FormatFloat(d.Seconds(), 'f', 1, 64) + " s"
	default:
		s := d.Round(time.Second).String()
		if strings.HasSuffix(s, "m0s") {
			s = strings.TrimSuffix(s, "0s")
		}
		if strings.HasSuffix(s, "h0m") {
			s = strings.TrimSuffix(s, "0m")
		}
		return s
	}
}

// runs lists the runs whose logs went on last, children below the runs that dispatched them.
func (v visitor) runs(r *console.Request) error {
	if id := strings.TrimSpace(r.URL.Query().Get("find")); id != "" {
		return r.GoTo(pathOf(id))
	}
	below, _ := strconv.ParseUint(r.URL.Query().Get("below"), 10, 64) // what is no number begins at the end
	page := runsPage{Below: below}
	err := v.host.With(func(h *surface.Host) error {
		found, older, err := h.Runs(r.Context(), v.who, below, runsShown)
		if err != nil {
			return err
		}
		if below == 0 { // those that wait are there however long ago they began to
			waiting, _, err := h.Waiting(r.Context(), v.who, runsShown)
			if err != nil {
				return err
			}
			found = merge(found, waiting)
		}
		page.Rows, page.Older = tree(found), older
		return nil
	})
	if err != nil {
		return err
	}
	return r.Show(console.Page{Template: "runs", Title: "Runs", Here: "Runs", Body: page})
}

func merge(found, more []state.Account) []state.Account {
	for _, a := range more {
		if !slices.ContainsFunc(found, func(b state.Account) bool { return a.Snapshot.RunID == b.Snapshot.RunID }) {
			found = append(found, a)
		}
	}
	return found
}

// tree puts children below their parents where these are in the list, the latest run first and children in their order.
func tree(found []state.Account) []runRow {
	// slices.SortStableFunc would add code for this type alone, and much of it: the type is large.
	sort.SliceStable(found, func(a, b int) bool { return found[a].Snapshot.StartedAt.After(found[b].Snapshot.StartedAt) })
	listed := map[string]bool{}
	for _, a := range found {
		listed[a.Snapshot.RunID] = true
	}
	children := map[string][]state.Account{}
	for _, a := range slices.Backward(found) {
		if parent := a.Lineage.ParentRunID; listed[parent] {
			children[parent] = append(children[parent], a)
		}
	}
	var grow func(a state.Account) runRow
	grow = func(a state.Account) runRow {
		row := rowOf(a)
		for _, child := range children[row.ID] {
			row.Children = append(row.Children, grow(child))
		}
		return row
	}
	var rows []runRow
	for _, a := range found {
		if !listed[a.Lineage.ParentRunID] {
			rows = append(rows, grow(a))
		}
	}
	return rows
}

type startPage struct {
	Chosen    *openwopv1.WorkflowDefinition
	ID        string
	Inputs    string
	Wrong     string
	First     []openwopv1.WorkflowDefinition // to begin with
	Workflows []openwopv1.WorkflowDefinition
}

// toBegin are the workflows that show somebody new what there is.
var toBegin = []string{"assay-loop-ask-user", "assay-loop", "assay-loop-workspace", "assay-approval", "assay-questions"}

// startForm shows the form that starts a run, with the values that the workflow has where nothing is given.
func (v visitor) startForm(r *console.Request) error {
	page := startPage{ID: r.URL.Query().Get("workflow")}
	if err := v.choose(&page); err != nil {
		return err
	}
	if page.Chosen != nil {
		page.Inputs = defaults(*page.Chosen)
	}
	return r.Show(console.Page{Template: "start", Title: "Start a run", Body: page})
}

func (v visitor) choose(page *startPage) error {
	return v.host.With(func(h *surface.Host) error {
		page.Workflows = h.Workflows()
		for i, d := range page.Workflows {
			if d.ID == page.ID {
				page.Chosen = &page.Workflows[i]
			}
		}
		for _, id := range toBegin {
			if i := slices.IndexFunc(page.Workflows, func(d openwopv1.WorkflowDefinition) bool { return d.ID == id }); i >= 0 {
				page.First = append(page.First, page.Workflows[i])
			}
		}
		return nil
	})
}

// defaults are the inputs that change nothing.
func defaults(d openwopv1.WorkflowDefinition) string {
	inputs := map[string]any{}
	for _, v := range d.Variables {
		if v.DefaultValue != nil {
			inputs[v.Name] = v.DefaultValue
		}
	}
	raw, err := json.MarshalIndent(inputs, "", "  ")
	if err != nil {
		return "{}"
	}
	return string(raw)
}

// start starts a run, by the API.
func (v visitor) start(r *console.Request) error {
	page := startPage{ID: r.PostFormValue("workflow"), Inputs: r.PostFormValue("inputs")}
	inputs := strings.TrimSpace(page.Inputs)
	if inputs == "" {
		inputs = "{}"
	}
	if !json.Valid([]byte(inputs)) {
		page.Wrong = "The inputs are no JSON: write an object, such as {\"n\": 3}."
		return v.startAgain(r, page)
	}
	body, err := json.Marshal(map[string]any{"workflowId": page.ID, "inputs": json.RawMessage(inputs)})
	if err != nil {
		return err
	}
	reply, err := v.ask(func(c *openwopv1.Client) (*http.Response, error) {
		return c.CreateRunWithBody(r.Context(), nil, "application/json", bytes.NewReader(body)) // what is no object is the host's to refuse
	})
	if err != nil {
		return err
	}
	var made openwopv1.CreateRunResponse
	if err := json.Unmarshal(reply.Body, &made); !reply.OK() || err != nil {
		page.Wrong = "The host refuses: " + reply.Why(why)
		return v.startAgain(r, page)
	}
	return r.GoTo(pathOf(made.RunID))
}

func (v visitor) startAgain(r *console.Request, page startPage) error {
	if err := v.choose(&page); err != nil {
		return err
	}
	return r.Show(console.Page{Template: "start", Status: http.StatusUnprocessableEntity, Title: "Start a run", Body: page})
}

// control cancels a run, has it stand still, or go on.
func (v visitor) control(r *console.Request) error {
	id, what := r.PathValue("run"), r.PostFormValue("do")
	request := map[string]func(*openwopv1.Client) (*http.Response, error){
		"cancel": func(c *openwopv1.Client) (*http.Response, error) {
			return c.CancelRun(r.Context(), id, nil, &openwopv1.CancelRunRequest{})
		},
		"pause": func(c *openwopv1.Client) (*http.Response, error) {
			return c.PauseRun(r.Context(), id, nil, &openwopv1.PauseRunRequest{})
		},
		"resume": func(c *openwopv1.Client) (*http.Response, error) { return c.ResumeRun(r.Context(), id, nil) },
	}[what]
	if request == nil {
		return r.Problem(http.StatusBadRequest, "Nothing of that kind can be done with a run.")
	}
	reply, err := v.ask(request)
	if err != nil {
		return err
	}
	if !reply.OK() {
		return r.Problem(reply.Status, "The host refuses to "+what+" this run: "+reply.Why(why))
	}
	return r.GoTo(pathOf(id))
}

// kind is that of a status, which has a colour.
func kind(status openwopv1.RunStatus) string {
	switch status {
	case openwopv1.RunStatusCompleted:
		return "good"
	case openwopv1.RunStatusFailed:
		return "bad"
	case openwopv1.RunStatusWaitingApproval, openwopv1.RunStatusWaitingInput, openwopv1.RunStatusWaitingExternal:
		return "warn"
	case openwopv1.RunStatusRunning, openwopv1.RunStatusPending:
		return "busy"
	}
	return "calm"
}
