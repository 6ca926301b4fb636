package surface

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"net"
	"net/http"
	"net/url"
	"strconv"
	"time"

	"github.com/openassay/assay/gen/openwopv1"
	"github.com/openassay/assay/simhost/openwop/engine/live"
	"github.com/openassay/assay/simhost/openwop/rules"
	refusals "github.com/openassay/assay/simhost/refusal"
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
	base, key            string
	hostID, wellKnownURL string // of this host
	http                 *http.Client
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

// Create implements run.Peer: POST /v1/runs, under an idempotency key.
func (p *peerClient) Create(ctx context.Context, c live.PeerCreate) (live.PeerRun, error) {
	host, err := p.host(ctx)
	if err != nil {
		return live.PeerRun{}, err
	}
	body, err := json.Marshal(openwopv1.CreateRunRequest{WorkflowID: c.WorkflowID, Inputs: c.Inputs})
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
	err = p.ask(ctx, http.MethodPost, "/v1/runs", body, peerRequest, peerReply, &made, http.Header{
		headerIdempotencyKey: {c.Key}, headerTrace: {told.TraceParent}, headerParent: {origin.Encode()},
	})
	switch {
	case err != nil:
		return live.PeerRun{}, err
	case !isRemoteID(made.RunID):
		return live.PeerRun{}, refusals.New(codePeer, "it made a run and gave no id for it that can be used")
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
	if err := p.ask(ctx, http.MethodGet, "/.well-known/openwop", nil, peerRequest, peerDocument, &document, nil); err != nil {
		return "", err
	}
	id := document.MultiAgent.ExecutionModel.CrossHostCausation.HostID
	if id == "" {
		id = document.Capabilities.MultiAgent.ExecutionModel.CrossHostCausation.HostID
	}
	switch {
	case !isRemoteID(id):
		return "", refusals.New(codePeer, "it advertises no crossHostCausation.hostId by which a cause could be told")
	case id == p.hostID:
		return "", refusals.New(codePeer, "it has the host id of this host: give one of them another with --host-id")
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

// Look implements run.Peer: a poll of the log, and the run itself once that has its end.
func (p *peerClient) Look(ctx context.Context, runID string, cursor int64) (live.PeerState, error) {
	state := live.PeerState{Cursor: cursor}
	path := "/v1/runs/" + url.PathEscape(runID)
	query := "?timeout=" + strconv.Itoa(int(peerPoll/time.Second))
	if cursor >= 0 {
		query += "&lastSequence=" + strconv.FormatInt(cursor, 10)
	}
	var page struct {
		Events []struct {
			EventID  string                 `json:"eventId"`
			Type     openwopv1.RunEventType `json:"type"`
			Sequence int64                  `json:"sequence"`
		} `json:"events"`
		IsComplete bool `json:"isComplete"`
	}
	if err := p.ask(ctx, http.MethodGet, path+"/events/poll"+query, nil, peerPoll+peerRequest, peerPage, &page, nil); err != nil {
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
		return state, refusals.New(codePeer, "the log of its run has ended without an event that could be named as the cause")
	}
	return p.ended(ctx, path, state)
}

// ended reads how a run has ended.
func (p *peerClient) ended(ctx context.Context, path string, state live.PeerState) (live.PeerState, error) {
	var s struct {
		Status    openwopv1.RunStatus `json:"status"`
		Variables map[string]any      `json:"variables"`
		Outputs   map[string]any      `json:"outputs"`
		Error     *openwopv1.RunError `json:"error"`
	}
	if err := p.ask(ctx, http.MethodGet, path, nil, peerRequest, peerSnapshot, &s, nil); err != nil {
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

// Cancel implements run.Peer: POST /v1/runs/{runId}/cancel. That a run has ended shows when it is looked at.
func (p *peerClient) Cancel(ctx context.Context, runID, reason string) error {
	body, err := json.Marshal(openwopv1.CancelRunRequest{Reason: &reason})
	if err != nil {
		return err
	}
	err = p.ask(ctx, http.MethodPost, "/v1/runs/"+url.PathEscape(runID)+"/cancel", body, peerRequest, peerReply, nil, nil)
	if refused := (*refusals.Error)(nil); errors.As(err, &refused) {
		return nil
	}
	return err
}

// ask sends one request and decodes what comes with a success into reply, unless that is nil. A request that the peer refuses
// is a refusal with its code; any other error may pass.
func (p *peerClient) ask(ctx context.Context, method, path string, body []byte, patience time.Duration, limit int64, reply any,
	header http.Header) error {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, method, p.base+path, bytes.NewReader(body))
	if err != nil {
		return err
	}
	maps.Copy(request.Header, header)
	request.Header.Set("Accept", "application/json")
	if len(body) > 0 {
		request.Header.Set("Content-Type", "application/json")
	}
	if p.key != "" {
		request.Header.Set("Authorization", "Bearer "+p.key)
	}
	response, err := p.http.Do(request)
	if err != nil {
		return fmt.Errorf("%s %s: it does not answer", method, path) // the cause may hold an address that is nobody's business
	}
	defer response.Body.Close()
	content, err := io.ReadAll(io.LimitReader(response.Body, limit+1))
	switch {
	case err != nil:
		return fmt.Errorf("%s %s: its answer breaks off", method, path)
	case int64(len(content)) > limit:
		return refusals.New(codePeer, fmt.Sprintf("%s %s: its answer is larger than %d bytes", method, path, limit))
	case response.StatusCode/100 == 2 && reply == nil:
		return nil
	case response.StatusCode/100 == 2:
		if err := json.Unmarshal(content, reply); err != nil {
			return refusals.New(codePeer, fmt.Sprintf("%s %s: its answer is not what the protocol has there", method, path))
		}
		return nil
	case mayPass(response.StatusCode):
		return fmt.Errorf("%s %s: it answers HTTP %d", method, path, response.StatusCode)
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
		return refusals.New(codePeer, fmt.Sprintf("it answers HTTP %d", status))
	}
	return refusals.New(clipped(envelope.Error), clipped(envelope.Message))
}

// clipped keeps the words of another host short.
func clipped(s string) string {
	if r := []rune(s); len(r) > mostWords {
		return string(r[:mostWords-1]) + "…"
	}
	return s
}
