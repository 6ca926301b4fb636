// Package mockai is the model of the provider mock: it answers what it was programmed to, node by node and call by call. Its
// programs and what was taken of them are kept in a log.
package mockai

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/openassay/assay/simhost/eventlog"
	"github.com/openassay/assay/simhost/internal/folded"
)

// The stop reasons that this package gives or reads.
const (
	stopEnd    = "end_turn"
	stopSafety = "safety"
)

// Answer is what the model answers to one call.
type Answer struct {
	Content     string `json:"content,omitzero"`
	StopReason  string `json:"stopReason,omitzero"`
	RefusalText string `json:"refusalText,omitzero"`
}

// Refused tells whether the model would not answer.
func (a Answer) Refused() bool { return a.StopReason == stopSafety || a.RefusalText != "" }

// Unprogrammed is what a node is answered whose program has run out, or that has none.
var Unprogrammed = Answer{Content: `{"valid":true}`, StopReason: stopEnd}

// Call is a call of a node. Origin names it among all calls of the tenant: made again, it gets the same answer, unless the
// node was given another program since.
type Call struct {
	Tenant, NodeID, Origin string
}

// Log is what this package needs of the event log.
type Log = folded.Log

// Models are the models of all tenants. The methods may be called concurrently.
type Models struct {
	programs *folded.States[program]
}

// Open returns the models whose programs are on a log.
func Open(log Log) (*Models, error) {
	if log == nil {
		return nil, errors.New("open the models: they need a log")
	}
	return &Models{programs: folded.New(log, (*program).fold)}, nil
}

// Program says what a node of a tenant is answered from now on, in place of what it was to be answered.
func (m *Models) Program(ctx context.Context, tenant, nodeID string, answers []Answer) error {
	return m.programs.Append(ctx, logName(tenant, nodeID), func(*program) ([]byte, error) {
		return json.Marshal(entry{Program: append([]Answer{}, answers...)})
	})
}

// Answer takes the next answer of a node's program. programmed is false where there is none left.
func (m *Models) Answer(ctx context.Context, c Call) (answer Answer, programmed bool, err error) {
	err = m.programs.Append(ctx, logName(c.Tenant, c.NodeID), func(p *program) ([]byte, error) {
		place, taken := p.taken[c.Origin]
		if !taken {
			place = len(p.taken)
		}
		if place >= len(p.answers) {
			answer, programmed = Unprogrammed, false
			return nil, nil
		}
		answer, programmed = p.answers[place], true
		if taken {
			return nil, nil
		}
		return json.Marshal(entry{Taken: c.Origin})
	})
	return answer, programmed, err
}

func logName(tenant, nodeID string) string { return folded.Name("mockai", tenant, nodeID) }

// entry is one entry of a node's log: a program, or the call that took the next answer.
type entry struct {
	Program []Answer `json:"program,omitzero"`
	Taken   string   `json:"taken,omitzero"`
}

// program is what a node is answered, and which calls have had their answer.
type program struct {
	answers []Answer
	taken   map[string]int // by origin, to the place
}

func (p *program) fold(e eventlog.Entry) error {
	var next entry
	if err := json.Unmarshal(e.Data, &next); err != nil {
		return fmt.Errorf("decode a program: %w", err)
	}
	if next.Program != nil {
		p.answers, p.taken = next.Program, map[string]int{}
		return nil
	}
	if p.taken == nil {
		return errors.New("an answer is taken of no program")
	}
	p.taken[next.Taken] = len(p.taken)
	return nil
}
