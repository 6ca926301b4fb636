package host

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"time"

	"github.com/openassay/assay/gen/agenticloopv2"
	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/wire"
)

// Job is one request to the plugin, as the gateway makes it.
type Job struct {
	Name      string // in words; it begins the description of every check of the turn
	ID        string // "" draws one
	Command   string // "" means handle
	Event     Object
	State     Object // nil: the state in which the drive finds the plugin
	Config    Object // over the profile's
	Context   Object
	Secrets   Object
	Workspace string               // left out in revisions without workspaces
	Edit      func(request Object) // changes the request at last
	Input     []byte               // replaces the whole request
	Refused   bool                 // the turn may exit with another code than 0 and without a response
	Timeout   time.Duration        // 0 means the plugin's deadline
	Heavy     string               // what it has to read, where no limit is made for that: then its time is not judged
	Env       map[string]string
	Kill      wire.KillPoint
	KillAfter time.Duration
	Writes    string // the folder from whose first file KillAfter counts
	Quiet     bool   // only the drive looks at the answer: the observation does not list the turn
}

// Turn runs a job and returns its turn, with the state that the gateway would keep after it.
func (p *Plugin) Turn(ctx context.Context, j Job) (Turn, Object) {
	j.State = p.stateOf(j)
	timeout := j.Timeout
	if timeout == 0 {
		timeout = p.Deadline()
	}
	input := j.Input
	if input == nil {
		var err error
		if input, err = json.Marshal(p.Request(j, timeout)); err != nil {
			scenarios.End(fmt.Errorf("%s: encoding the request: %w", j.Name, err))
		}
		input = append(input, '\n')
	}
	ended := p.Spawn(ctx, wire.Turn{Input: input, Label: j.Name, Timeout: timeout, Env: j.Env, Kill: j.Kill,
		KillAfter: j.KillAfter, Writes: j.Writes})
	t := Turn{Name: j.Name, Refused: j.Refused, Killed: ended.Killed, TimedOut: ended.TimedOut, ended: ended}
	t.mint()
	if ended.TimedOut && (!p.limitsTurns() || j.Heavy != "") { // only the profile can say how long is too long (AL-R123)
		t.Patience = timeout.String()
		if j.Heavy != "" {
			t.Patience += " with " + j.Heavy + " to read"
		}
	}
	t.About = j.about()
	t.Before = scenarios.Get(NewState(j.State))
	if !j.Quiet {
		*p.turns = append(*p.turns, t)
	}
	answer, _ := ended.Decode().(Object)
	if ended.Killed {
		answer = nil
	}
	return t, after(j.State, answer)
}

// stateOf returns the state that the gateway passes to a job.
func (p *Plugin) stateOf(j Job) Object {
	if j.State == nil {
		return OrEmpty(Clone(p.past))
	}
	return j.State
}

// KeepOnly removes all but these turns from the transcript.
func (p *Plugin) KeepOnly(turns ...*Turn) {
	ended := make([]*wire.Ended, len(turns))
	for i, t := range turns {
		ended[i] = t.ended
	}
	p.Retain(ended...)
	for _, t := range turns {
		t.mint()
	}
}

// about returns the runs that a job names, in its event or in its context.
func (j Job) about() (ids []string) {
	event := j.Event
	if j.Input != nil {
		var request Object
		if Decode(j.Input, &request) != nil {
			return nil
		}
		event, _ = request["event"].(Object)
	}
	payload, _ := event["payload"].(Object)
	within, _ := payload["context"].(Object)
	for _, o := range []Object{payload, within, j.Context} {
		if id, ok := o["run_id"].(string); ok {
			ids = append(ids, id)
		}
	}
	return ids
}

// after returns a copy of the state that the gateway keeps: an answer with status ok replaces the keys that it gives.
func after(state, answer Object) Object {
	out := Clone(state)
	if updates, _ := answer["state_updates"].(Object); answer["status"] == "ok" {
		maps.Copy(out, updates)
	}
	return out
}

// Request returns what the plugin reads from standard input.
func (p *Plugin) Request(j Job, timeout time.Duration) Object {
	command := j.Command
	if command == "" {
		command = "handle"
	}
	id := j.ID
	if id == "" {
		id = p.NewID()
	}
	config := Clone(p.config)
	if _, set := config["allowed_plugins"]; !set {
		config["allowed_plugins"] = p.Tools()
	}
	maps.Copy(config, j.Config)
	r := Object{
		"protocol": 2, "job_id": id, "command": command, "config": config, "state": p.stateOf(j),
		"deadline_at": p.Now().Add(timeout).UTC().Format(time.RFC3339Nano),
	}
	if j.Event != nil {
		r["event"] = j.Event
	}
	if len(j.Context) > 0 {
		r["context"] = j.Context
	}
	if len(j.Secrets) > 0 {
		r["secrets"] = j.Secrets
	}
	if j.Workspace != "" && p.Profile.Revision == agenticloopv2.ProtocolRevisionN202602 {
		r["workspace_dir"] = j.Workspace
	}
	if p.Profile.Revision == agenticloopv2.ProtocolRevisionN202606 && j.Event != nil {
		if payload, ok := j.Event["payload"].(Object); ok && len(payload) > 0 {
			r["payload"] = payload
		}
	}
	if j.Edit != nil {
		j.Edit(r)
	}
	return r
}
