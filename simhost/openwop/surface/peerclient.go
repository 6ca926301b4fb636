package surface

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strconv"
	"time"

	"github.com/openassay/assay/gen/openwopv1"
	"github.com/openassay/assay/simhost/openwop/engine/live"
	"github.com/openassay/assay/simhost/openwop/rules"
	"github.com/openassay/assay/simhost/refusal"
)

// What a peer can make this host read and wait for. It is somebody else's host.
const (
	peerRequest  = 5 * time.Second
	peerPoll     = 10 * time.Second // that a poll asks for; the answer gets peerRequest beyond it
	peerReply    = 64 << 10
	peerDocument = 1 << 20
	peerSnapshot = 256 << 10 // it may end up in a log of this host
	peerPage     = 4 << 20
	mostWords    = 500 // characters of its errors
)

// peerClient asks a peer. One value may be used by several goroutines.
type peerClient struct {
	openwopv1.Client
	hostID, wellKnownURL string                                      // of this host
	introduces           func(rules.Introduction) rules.Introduction // what is told of loops
}

// newPeerClient is for all peers of a host: no proxy, no redirects, few connections.
func newPeerClient() *http.Client {
	return &http.Client{
		Transport: &http.Transport{
			DialContext:            (&net.Dialer{Timeout: peerRequest}).DialContext,
			TLSHandshakeTimeout:    peerRequest,
			MaxResponseHeaderBytes: peerReply,
			MaxConnsPerHost:        256,
			MaxIdleConnsPerHost:    4,
			IdleConnTimeout:        4 * time.Second,
		},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
}

// withKey has requests carry a key; "" is none.
func withKey(key string) openwopv1.RequestEditorFn {
	return func(_ context.Context, r *http.Request) error {
		r.Header.Set("Accept", "application/json")
		if key != "" {
			r.Header.Set("Authorization", "Bearer "+key)
		}
		return nil
	}
}

// Create implements live.Peer: POST /v1/runs, under an idempotency key.
func (p *peerClient) Create(ctx context.Context, c live.PeerCreate) (live.PeerRun, error) {
	host, err := p.host(ctx)
	if err != nil {
		return live.PeerRun{}, err
	}
	told := p.introduces(rules.Introduction{TraceParent: c.TraceParent, WellKnownURL: p.wellKnownURL})
	origin := url.Values{"runId": {c.ParentRunID}, "hostId": {p.hostID}, "depth": {strconv.Itoa(c.Depth)}}
	if told.WellKnownURL != "" {
		origin.Set("wellKnownUrl", told.WellKnownURL)
	}
	var made struct {
		RunID  string              `json:"runId"`
		Status openwopv1.RunStatus `json:"status"`
	}
	err = ask(ctx, "POST /v1/runs", peerRequest, peerReply, &made, func(ctx context.Context) (*http.Response, error) {
		return p.CreateRun(ctx, &openwopv1.CreateRunParams{IdempotencyKey: &c.Key},
			openwopv1.CreateRunRequest{WorkflowID: c.WorkflowID, Inputs: c.Inputs},
			func(_ context.Context, r *http.Request) error {
				r.Header.Set(headerTrace, told.TraceParent)
				r.Header.Set(headerParent, origin.Encode())
				return nil
			})
	})
	switch {
	case err != nil:
		return live.PeerRun{}, err
	case !isRemoteID(made.RunID):
		return live.PeerRun{}, refusal.New(codePeer, "it made a run and gave no id for it that can be used")
	}
	return live.PeerRun{RunID: made.RunID, HostID: host, Status: created(made.Status)}, nil
}

// codePeer: a peer did what no host may do.
const codePeer = "peer_invalid"

// host asks for the id that the peer advertises.
func (p *peerClient) host(ctx context.Context) (string, error) {
	var document struct {
		MultiAgent   modelClaim `json:"multiAgent"`
		Capabilities struct {
			MultiAgent modelClaim `json:"multiAgent"`
		} `json:"capabilities"`
	}
	err := ask(ctx, "GET /.well-known/openwop", peerRequest, peerDocument, &document, func(ctx context.Context) (*http.Response, error) {
		return p.GetCapabilities(ctx)
	})
	if err != nil {
		return "", err
	}
	id := document.MultiAgent.ExecutionModel.CrossHostCausation.HostID
	if id == "" {
		id = document.Capabilities.MultiAgent.ExecutionModel.CrossHostCausation.HostID
	}
	switch {
	case !isRemoteID(id):
		return "", refusal.New(codePeer, "it advertises no crossHostCausation.hostId by which a cause could be told")
	case id == p.hostID:
		return "", refusal.New(codePeer, "it has the host id of this host: give one of them another with --host-id")
	}
	return id, nil
}

type modelClaim struct {
	ExecutionModel struct {
		CrossHostCausation struct {
			HostID string `json:"hostId"`
		} `json:"crossHostCausation"`
	} `json:"executionModel"`
}

// Look implements live.Peer: a poll of the log, and the run itself once that has its end.
func (p *peerClient) Look(ctx context.Context, runID string, cursor int64) (live.PeerState, error) {
	state := live.PeerState{Cursor: cursor}
	params := &openwopv1.PollRunEventsParams{Timeout: new(int64(peerPoll / time.Second))}
	if cursor >= 0 {
		params.LastSequence = &cursor
	}
	var page struct {
		Events []struct {
			EventID  string                 `json:"eventId"`
			Type     openwopv1.RunEventType `json:"type"`
			Sequence int64                  `json:"sequence"`
		} `json:"events"`
		IsComplete bool `json:"isComplete"`
	}
	err := ask(ctx, "GET /v1/runs/{runId}/events/poll", peerPoll+peerRequest, peerPage, &page,
		func(ctx context.Context) (*http.Response, error) {
			return p.PollRunEvents(ctx, runID, params)
		})
	if err != nil {
		return state, err
	}
	for _, e := range page.Events {
		state.Cursor = max(state.Cursor, e.Sequence)
		switch e.Type {
		case openwopv1.RunEventTypeRunCompleted, openwopv1.RunEventTypeRunFailed, openwopv1.RunEventTypeRunCancelled:
			state.EventID = e.EventID
		}
	}
	if state.EventID == "" && !page.IsComplete {
		return state, nil
	}
	if !isRemoteID(state.EventID) {
		return state, refusal.New(codePeer, "the log of its run has ended without an event that could be named as the cause")
	}
	return p.ended(ctx, runID, state)
}

// ended reads how a run has ended.
func (p *peerClient) ended(ctx context.Context, runID string, state live.PeerState) (live.PeerState, error) {
	var s struct {
		Status    openwopv1.RunStatus `json:"status"`
		Variables map[string]any      `json:"variables"`
		Outputs   map[string]any      `json:"outputs"`
		Error     *openwopv1.RunError `json:"error"`
	}
	err := ask(ctx, "GET /v1/runs/{runId}", peerRequest, peerSnapshot, &s, func(ctx context.Context) (*http.Response, error) {
		return p.GetRun(ctx, runID)
	})
	if err != nil {
		return state, err
	}
	switch s.Status {
	case openwopv1.RunStatusCompleted, openwopv1.RunStatusFailed, openwopv1.RunStatusCancelled:
	default:
		return state, fmt.Errorf("the log of its run has ended and the run is %s", clipped(string(s.Status)))
	}
	state.Ended, state.Status, state.Variables, state.Outputs = true, s.Status, s.Variables, s.Outputs
	if s.Error != nil {
		state.Error = &openwopv1.RunError{Code: clipped(s.Error.Code), Message: clipped(s.Error.Message), Details: s.Error.Details}
		if state.Error.Code == "" {
			state.Error.Code = codePeer
		}
	}
	return state, nil
}

// Cancel implements live.Peer: POST /v1/runs/{runId}/cancel. That a run has ended shows when it is looked at.
func (p *peerClient) Cancel(ctx context.Context, runID, reason string) error {
	err := ask(ctx, "POST /v1/runs/{runId}/cancel", peerRequest, peerReply, nil, func(ctx context.Context) (*http.Response, error) {
		return p.CancelRun(ctx, runID, nil, &openwopv1.CancelRunRequest{Reason: &reason})
	})
	if refusal.In(err) != nil {
		return nil
	}
	return err
}

// ask has one request sent and decodes what comes with a success into reply, unless that is nil. A request that the peer refuses
// is a refusal with its code; any other error may pass.
func ask(ctx context.Context, what string, patience time.Duration, limit int64, reply any,
	send func(context.Context) (*http.Response, error)) error {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	response, err := send(ctx)
	if err != nil {
		return fmt.Errorf("%s: it does not answer", what) // the cause may hold an address that is nobody's business
	}
	defer response.Body.Close()
	content, err := io.ReadAll(io.LimitReader(response.Body, limit+1))
	switch {
	case err != nil:
		return fmt.Errorf("%s: its answer breaks off", what)
	case int64(len(content)) > limit:
		return refusal.New(codePeer, fmt.Sprintf("%s: its answer is larger than %d bytes", what, limit))
	case response.StatusCode/100 == 2 && reply == nil:
		return nil
	case response.StatusCode/100 == 2:
		if err := json.Unmarshal(content, reply); err != nil {
			return refusal.New(codePeer, fmt.Sprintf("%s: its answer is not what the protocol has there", what))
		}
		return nil
	case mayPass(response.StatusCode):
		return fmt.Errorf("%s: it answers HTTP %d", what, response.StatusCode)
	}
	return peerRefusal(response.StatusCode, content)
}

// mayPass tells the statuses after which the same request may be answered otherwise.
func mayPass(status int) bool {
	return status/100 == 5 && status != http.StatusNotImplemented || status == http.StatusTooManyRequests ||
		status == http.StatusRequestTimeout || status == http.StatusConflict
}

// peerRefusal is a peer's refusal, in its own words as far as they are fit for a log.
func peerRefusal(status int, content []byte) error {
	var envelope openwopv1.ErrorEnvelope
	if json.Unmarshal(content, &envelope) != nil || envelope.Error == "" {
		return refusal.New(codePeer, fmt.Sprintf("it answers HTTP %d", status))
	}
	return refusal.New(clipped(envelope.Error), clipped(envelope.Message))
}

// clipped keeps the words of another host short.
func clipped(s string) string {
	if r := []rune(s); len(r) > mostWords {
		return string(r[:mostWords-1]) + "…"
	}
	return s
}
