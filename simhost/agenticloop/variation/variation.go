// Package variation is the catalogue of the ways in which agents of RFC-103 differ without being wrong. A certification that
// accuses the reference agent in one of these manners would accuse somebody's honest agent.
//
// The agent knows of no variation. A front stands around the process: it turns a request in that manner into what the agent
// understands, and the agent's answer into that manner. What an operator would have to declare of such an agent is in its
// profile.
package variation

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"os"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/openassay/assay/simhost/internal/listed"
)

type object = map[string]any

// Variation is one way to differ. Ids are chosen by hand and never reused.
type Variation struct {
	ID    string
	Title string // what a gateway sees
	About string // what differs between agents there
	// Slips are the requirements for which a certification has a finding. Most variations have none.
	Slips []string

	declares func(profile object)                // what the profile of such an agent says, over the reference agent's
	asks     func(request object)                // a request in this manner becomes a usual one
	answers  func(request, answer object)        // a usual answer to a usual request becomes one in this manner
	outbound func(text []byte) []byte            // the answer as text, last of all
	inbound  func(text []byte) []byte            // the request as text, first of all
	stateful func() func(request, answer object) // as answers, where the manner is not the same each time
}

// themes are all variations. Adding one is adding a row.
var themes = [][]Variation{identities, requests, states, decisions, extras}

// List is every variation there is.
func List() []Variation { return slices.Concat(themes...) }

// Names are the ids of all variations.
func Names() []string {
	var ids []string
	for _, v := range List() {
		ids = append(ids, v.ID)
	}
	return ids
}

// Find is the variation with this id. The error of an id that none has names the nearest one.
func Find(id string) (Variation, error) {
	for _, v := range List() {
		if v.ID == id {
			return v, nil
		}
	}
	return Variation{}, listed.NoVariation(id, " of the agent", Names())
}

// Declare changes the profile in a file, which is YAML, from that of the reference agent to that of the varied one.
func (v Variation) Declare(file string) error {
	if v.declares == nil {
		return nil
	}
	text, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	var profile object
	if err := yaml.Unmarshal(text, &profile); err != nil {
		return fmt.Errorf("%s: %w", file, err)
	}
	v.declares(profile)
	if text, err = yaml.Marshal(profile); err != nil {
		return fmt.Errorf("%s: %w", file, err)
	}
	return os.WriteFile(file, text, 0o644)
}

// Program is a whole process: it reads a request to its end, writes an answer, and returns an exit code.
type Program = func(ctx context.Context, in io.Reader, out, errs io.Writer) int

// Front puts the manner around an agent. What is no JSON object is handed on as it is. It may be used concurrently unless
// the manner is not the same each time.
func (v Variation) Front(agent Program) Program {
	answers := v.answers
	if v.stateful != nil {
		answers = v.stateful()
	}
	return func(ctx context.Context, in io.Reader, out, errs io.Writer) int {
		input, err := io.ReadAll(in)
		if err != nil {
			fmt.Fprintf(errs, "read the request: %v\n", err)
			return 1
		}
		if v.inbound != nil {
			input = v.inbound(input)
		}
		var request object
		if decode(input, &request) == nil && request != nil {
			if v.asks != nil {
				v.asks(request)
			}
			if raw, err := json.Marshal(request); err == nil {
				input = raw
			}
		}
		var printed bytes.Buffer
		code := agent(ctx, bytes.NewReader(input), &printed, errs)
		text := printed.Bytes()
		var answer object
		if request != nil && decode(text, &answer) == nil && answer != nil {
			if answers != nil {
				answers(request, answer)
				fit(request, answer)
			}
			if raw, err := json.Marshal(answer); err == nil {
				text = slices.Concat(raw, []byte{'\n'})
			}
		}
		if v.outbound != nil {
			text = v.outbound(text)
		}
		if _, err := out.Write(text); err != nil {
			return 1
		}
		return code
	}
}

// mostState is how many bytes of state a gateway keeps.
const mostState = 1 << 20

// fit refuses what the manner made larger than a gateway keeps, as the agent itself would have.
func fit(request, answer object) {
	state := maps.Clone(inner(request, "state"))
	if state == nil {
		state = object{}
	}
	maps.Copy(state, inner(answer, "state_updates"))
	if raw, err := json.Marshal(state); err != nil || len(raw) <= mostState || answer["status"] != "ok" {
		return
	}
	clear(answer)
	answer["status"], answer["error"], answer["retry"] = "error", "the state would be longer than the gateway keeps", false
}

// decode reads JSON, numbers as they are written.
func decode(raw []byte, into any) error {
	d := json.NewDecoder(bytes.NewReader(raw))
	d.UseNumber()
	if err := d.Decode(into); err != nil {
		return err
	}
	if _, err := d.Token(); err != io.EOF {
		return fmt.Errorf("more than one value")
	}
	return nil
}

// member is the object that stands below a name, which is made where there is none.
func member(o object, name string) object {
	m, ok := o[name].(object)
	if !ok {
		m = object{}
		o[name] = m
	}
	return m
}

// inner is the object at a path; nil where there is none.
func inner(o object, path ...string) object {
	for _, name := range path {
		o, _ = o[name].(object)
	}
	return o
}

// runs are those of a request's state.
func runs(request object) object { return inner(request, "state", "runs") }

// kept are the runs that an answer has the gateway keep; nil where it changes none.
func kept(answer object) object { return inner(answer, "state_updates", "runs") }

// each calls f for each run of a map, with its id.
func each(runs object, f func(id string, run object)) {
	for id, r := range runs {
		if run, ok := r.(object); ok {
			f(id, run)
		}
	}
}

// events are those of an answer.
func events(answer object) (all []object) {
	list, _ := answer["events"].([]any)
	for _, e := range list {
		if event, ok := e.(object); ok {
			all = append(all, event)
		}
	}
	return all
}

// asksFor is the payload of the request in an answer, nil where it has none.
func asksFor(answer object) object {
	for _, e := range events(answer) {
		if kind, _ := e["type"].(string); strings.HasPrefix(kind, "agentic.tool_request.") {
			return inner(e, "payload")
		}
	}
	return nil
}

// whole is a whole number of a decoded document, or otherwise.
func whole(v any, otherwise int64) int64 {
	if n, ok := v.(json.Number); ok {
		if i, err := n.Int64(); err == nil {
			return i
		}
	}
	return otherwise
}

// log adds a line to the logs of an answer.
func log(answer object, level, message string) {
	lines, _ := answer["logs"].([]any)
	answer["logs"] = append(lines, object{"level": level, "message": message})
}
