package surface

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"strconv"

	"github.com/openassay/assay/gen/openwopv1"
	"github.com/openassay/assay/simhost/eventlog"
	"github.com/openassay/assay/simhost/openwop/engine/live"
	"github.com/openassay/assay/simhost/refusal"
)

// heartbeatWorkflow is what a heartbeat runs when the state that it watches has changed.
const heartbeatWorkflow = "conformance-noop"

// beat is one entry in the log of a heartbeat: a state other than the one before. Of the state there is only a digest,
// since nothing is asked of it but whether it changed.
type beat struct {
	State string `json:"state"`
	RunID string `json:"runId"`
}

// TickHeartbeat has a heartbeat look (RFC 0060): a state other than the last one fires a run of its own, the same state
// fires none. The first state that a heartbeat ever sees is a change. What is under way or suspended is left alone. Goals
// that go on by this heartbeat fire a run each as well.
func (h *Host) TickHeartbeat(ctx context.Context, req openwopv1.TickHeartbeatRequestObject) (openwopv1.TickHeartbeatResponseObject, error) {
	if !h.claimed[claimHeartbeat] {
		return nil, refusal.New(codeNotFound, "this host has no heartbeats")
	}
	state, err := stateDigest(req.Body.ObservedState)
	if err != nil {
		return nil, err
	}
	fired, err := h.observe(ctx, req.Body.HeartbeatID, state)
	if err != nil {
		return nil, fmt.Errorf("tick heartbeat %q: %w", req.Body.HeartbeatID, err)
	}
	return openwopv1.TickHeartbeat200JSONResponse{
		HeartbeatID: req.Body.HeartbeatID,
		Status:      openwopv1.HeartbeatTickReplyStatusOk,
		Changed:     fired != "",
		RunID:       fired,
	}, nil
}

// observe compares a state with the last one of a heartbeat. It returns the run that the change fired, "" where nothing
// changed. Of ticks that come together one is first, and the others see what it saw.
func (h *Host) observe(ctx context.Context, heartbeat, state string) (fired string, err error) {
	log := heartbeatLog(tenantOf(ctx), heartbeat)
	patient, cancel := h.waiting(ctx)
	defer cancel()
	release, err := h.keys.hold(patient, log)
	if err != nil {
		return "", fmt.Errorf("wait for the tick under way: %w", err)
	}
	defer release()
	last, err := h.store.Last(ctx, log)
	if err != nil {
		return "", err
	}
	if changed, err := h.changed(last, state); !changed || err != nil {
		return "", err
	}
	// The run's id derives from the change. A tick that was cut off before the state was written down is a change again
	// when it is repeated, and then it finds its run.
	snapshot, err := h.engine.Create(ctx, live.Create{
		ID:         idOf(token(log, state, last.Revision)),
		WorkflowID: heartbeatWorkflow,
		Owner:      runOwner(ctx),
	})
	if err != nil {
		return "", err
	}
	// It is also the name of the change, by which a goal that has fired its run already knows it again.
	if goals := h.ownGoals(ctx); goals != nil {
		if err := goals.Beat(patient, heartbeat, snapshot.RunID); err != nil {
			return "", err
		}
	}
	entry, err := json.Marshal(beat{State: state, RunID: snapshot.RunID})
	if err != nil {
		return "", err
	}
	if _, err := h.store.Append(ctx, log, last.Revision, entry); err != nil {
		return "", err
	}
	return snapshot.RunID, nil
}

// changed tells whether the last entry of a heartbeat is about another state than this one.
func (h *Host) changed(last eventlog.Entry, state string) (bool, error) {
	if last.Revision == 0 {
		return true, nil
	}
	var b beat
	if err := json.Unmarshal(last.Data, &b); err != nil {
		return false, fmt.Errorf("decode entry %d: %w", last.Revision, err)
	}
	return h.rules.Heartbeat.Changed(b.State, state), nil
}

// heartbeatLog names the log of a heartbeat.
func heartbeatLog(tenant, id string) string { return "beat-" + digest(tenant, id) }

// stateDigest identifies a state by its JSON value: whitespace, the order of members and the spelling of a number
// make no difference.
func stateDigest(state json.RawMessage) (string, error) {
	canonical, err := plainly(state)
	if err != nil {
		return "", fmt.Errorf("read the state: %w", err)
	}
	return digest(string(canonical)), nil
}

// plainly spells a JSON value in one way, its members sorted.
func plainly(raw []byte) ([]byte, error) {
	decoder := json.NewDecoder(bytes.NewReader(raw))
	decoder.UseNumber() // integers that differ beyond a float's precision differ
	var value any
	if err := decoder.Decode(&value); err != nil {
		return nil, err
	}
	return json.Marshal(plainNumbers(value))
}

// plainNumbers spells numbers in one way, 1.0 and 1e0 as 1. Whole numbers of 64 bits keep all their digits; of others,
// those count that a float holds.
func plainNumbers(value any) any {
	switch v := value.(type) {
	case map[string]any:
		for name, member := range v {
			v[name] = plainNumbers(member)
		}
	case []any:
		for i, item := range v {
			v[i] = plainNumbers(item)
		}
	case json.Number:
		if n, err := strconv.ParseInt(v.String(), 10, 64); err == nil {
			return n
		}
		if f, err := strconv.ParseFloat(v.String(), 64); err == nil {
			if f == 0 { // written -0.0, it has a sign
				return 0
			}
			return f
		}
	}
	return value
}
