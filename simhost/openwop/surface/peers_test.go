package surface

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
	"regexp"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/openassay/assay/gen/openwopv1"
)

// two are hosts of which the first hands workers to the second.
func two(t *testing.T) (first, second *client) {
	t.Helper()
	second = serve(t, Options{HostID: "host-b", Key: "key-b"})
	return serve(t, Options{HostID: "host-a", URL: "http://a.example/", Peers: map[string]Peer{SecondHost: {URL: second.base,
		Key: "key-b"}}}), second
}

// handsTo is what runs of the fixture are asked for with, for a plan of these workers, one a turn.
func handsTo(workers ...string) map[string]any {
	plan := []any{}
	for _, w := range workers {
		plan = append(plan, map[string]any{"kind": "next-worker", "nextWorkerIds": []string{w}})
	}
	return map[string]any{"inputs": map[string]any{"plan": append(plan, map[string]any{"kind": "terminate"}), "said": "over there"}}
}

// chain are the steps of the handoffs on a log, in order.
func (c *client) chain(id string) (steps []hop) {
	c.t.Helper()
	for _, e := range c.poll(id, "timeout=1").Events {
		if e.Type != openwopv1.RunEventTypeCoreWorkflowChainEvent {
			continue
		}
		s := hop{event: e}
		if err := json.Unmarshal(e.Payload, &s.CoreWorkflowChainEventPayload); err != nil {
			c.t.Fatal(err)
		}
		steps = append(steps, s)
	}
	return steps
}

type hop struct {
	event openwopv1.RunEvent
	openwopv1.CoreWorkflowChainEventPayload
}

func phases(steps []hop) (out []string) {
	for _, s := range steps {
		out = append(out, string(s.Phase))
	}
	return out
}

func (c *client) last(id string) openwopv1.RunEvent {
	c.t.Helper()
	events := c.poll(id, "timeout=1").Events
	return events[len(events)-1]
}

const someTrace = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"

func TestDispatchToAPeer(t *testing.T) {
	a, b := two(t)
	if !slices.Contains(a.host.fixtures, fixtureRemote) || slices.Contains(b.host.fixtures, fixtureRemote) {
		t.Error("the fixture must be listed where it can be run, and nowhere else")
	}
	created := a.do("POST", "/v1/runs", with(handsTo("second/assay-echo"), fixtureRemote),
		header{headerTrace, someTrace}).want(http.StatusCreated)
	id := decoded[openwopv1.CreateRunResponse](created).RunID
	s := a.until(id, openwopv1.RunStatusCompleted)
	if s.Variables["heard"] != "over there" {
		t.Errorf("what came back is %v", s.Variables["heard"])
	}
	steps := a.chain(id)
	if diff := cmp.Diff([]string{"dispatch.began", "dispatch.succeeded", "child.completed", "output.harvested"}, phases(steps)); diff != "" {
		t.Fatalf("handoff (-want +got):\n%s", diff)
	}
	child := steps[1].ChildRunID
	for i, s := range steps {
		cause, host := steps[max(i-1, 0)].event.EventID, ""
		switch s.Phase {
		case openwopv1.ChainPhaseDispatchBegan:
			cause = s.event.CausationID // the decision
		case openwopv1.ChainPhaseChildCompleted:
			cause, host = b.last(child).EventID, "host-b"
		}
		if s.event.CausationID != cause || s.CausationHostID != host {
			t.Errorf("the cause of %s is %q on %q, want %q on %q", s.Phase, s.event.CausationID, s.CausationHostID, cause, host)
		}
	}
	got := decoded[openwopv1.RunAncestryResponse](b.do("GET", "/v1/runs/"+child+"/ancestry", nil).want(http.StatusOK))
	want := openwopv1.RunAncestryResponse{RunID: child, HostID: "host-b", Parent: &openwopv1.RunParent{
		RunID: id, HostID: "host-a", Cause: "core.dispatch", WellKnownURL: "http://a.example/.well-known/openwop",
	}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("ancestry of the child (-want +got):\n%s", diff)
	}
	asked, handed := a.run(id).Metadata["traceparent"], fmt.Sprint(b.run(child).Metadata["traceparent"])
	if asked != someTrace || handed == someTrace || !strings.HasPrefix(handed, someTrace[:36]) {
		t.Errorf("asked with the trace %v, handed on with %v", asked, handed)
	}
	fork := decoded[openwopv1.ForkRunResponse](a.do("POST", "/v1/runs/"+id+":fork", `{"mode":"replay"}`).want(http.StatusCreated)).RunID
	a.until(fork, openwopv1.RunStatusCompleted)
	if diff := cmp.Diff(phases(steps), phases(a.chain(fork))); diff != "" || a.chain(fork)[2].CausationHostID != "host-b" {
		t.Errorf("the replay tells another handoff, or of another host:\n%s", diff)
	}
	if n := countRuns(b, child); n != 1 {
		t.Errorf("%d children were made", n)
	}
}

// with asks for a run of a workflow.
func with(more map[string]any, workflow string) map[string]any {
	body := map[string]any{"workflowId": workflow}
	maps.Copy(body, more)
	return body
}

// countRuns counts the runs of a host that name the same parent as this one.
func countRuns(c *client, child string) (n int) {
	c.t.Helper()
	parent, err := c.host.lineage(c.t.Context(), opAncestry, DefaultTenant, child)
	if err != nil {
		c.t.Fatal(err)
	}
	for id, err := range c.host.store.List(c.t.Context()) {
		if err != nil {
			c.t.Fatal(err)
		}
		if l, err := c.host.lineage(c.t.Context(), opAncestry, DefaultTenant, id); err == nil && l.Origin != nil &&
			l.Origin.RunID == parent.Origin.RunID {
			n++
		}
	}
	return n
}

func TestPeerChildrenThatDoNotComplete(t *testing.T) {
	a, b := two(t)
	for name, c := range map[string]struct {
		worker string
		want   []string
		code   string
	}{
		"fails": {"second/conformance-dispatch-deterministic-fail-child", []string{"dispatch.began", "dispatch.succeeded",
			"child.failed"}, ""},
		"unknown there":       {"second/no-such-workflow", []string{"dispatch.began", "dispatch.failed"}, "workflow_not_found"},
		"no such peer":        {"third/assay-echo", []string{"dispatch.began", "dispatch.failed"}, "workflow_not_found"},
		"not without a peer":  {"assay-echo", []string{"dispatch.began", "dispatch.succeeded", "child.completed", "output.harvested"}, ""},
		"cannot be a run id":  {"second/", []string{"dispatch.began", "dispatch.failed"}, "validation_error"},
		"tries to climb away": {"second/../v1/goals", []string{"dispatch.began", "dispatch.failed"}, "workflow_not_found"},
	} {
		t.Run(name, func(t *testing.T) {
			id := a.create(fixtureRemote, handsTo(c.worker))
			a.until(id, openwopv1.RunStatusCompleted)
			steps := a.chain(id)
			if diff := cmp.Diff(c.want, phases(steps)); diff != "" {
				t.Fatalf("handoff (-want +got):\n%s", diff)
			}
			end := steps[len(steps)-1]
			if c.code != "" && (end.Error == nil || end.Error.Code != c.code) {
				t.Errorf("it failed with %+v, want %s", end.Error, c.code)
			}
			if end.Phase == openwopv1.ChainPhaseChildFailed && (end.CausationHostID != "host-b" ||
				end.event.CausationID != b.last(end.ChildRunID).EventID) {
				t.Errorf("the cause of the failure is %q on %q", end.event.CausationID, end.CausationHostID)
			}
		})
	}
}

func TestCancelReachesAPeer(t *testing.T) {
	a, b := two(t)
	id := a.create(fixtureRemote, handsTo("second/conformance-dispatch-cancellable-child"))
	child := a.awaitChild(id)
	a.do("POST", "/v1/runs/"+id+"/cancel", `{"reason":"enough"}`).want(http.StatusOK)
	a.until(id, openwopv1.RunStatusCancelled)
	b.until(child, openwopv1.RunStatusCancelled)
	steps := a.chain(id)
	if end := steps[len(steps)-1]; end.Phase != openwopv1.ChainPhaseChildCancelled || end.CausationHostID != "host-b" ||
		end.event.CausationID != b.last(child).EventID {
		t.Errorf("the handoff ends with %s because of %q on %q", end.Phase, end.event.CausationID, end.CausationHostID)
	}
}

// awaitChild waits until a handoff of a run has a child.
func (c *client) awaitChild(id string) string {
	c.t.Helper()
	for deadline := time.Now().Add(patience); time.Now().Before(deadline); {
		for _, s := range c.chain(id) {
			if s.ChildRunID != "" {
				return s.ChildRunID
			}
		}
		c.poll(id, fmt.Sprintf("timeout=1&since=%d", c.last(id).Sequence))
	}
	c.t.Fatalf("run %s has no child", id)
	return ""
}

// A parent that is under way on a host which ends goes on with the child that it has.
func TestPeerChildOutlivesARestart(t *testing.T) {
	b := serve(t, Options{HostID: "host-b", Key: "key-b"})
	o := Options{HostID: "host-a", DataDir: t.TempDir(), Peers: map[string]Peer{SecondHost: {URL: b.base, Key: "key-b"}}}
	a := serve(t, o)
	id := a.create(fixtureRemote, handsTo("second/conformance-dispatch-cancellable-child"))
	child := a.awaitChild(id)
	a.stop()
	b.do("POST", "/v1/runs/"+child+"/cancel", `{}`).want(http.StatusOK)
	a = serve(t, o)
	a.until(id, openwopv1.RunStatusCompleted)
	if n := countRuns(b, child); n != 1 {
		t.Errorf("%d children were made", n)
	}
	if diff := cmp.Diff([]string{"dispatch.began", "dispatch.succeeded", "child.cancelled"}, phases(a.chain(id))); diff != "" {
		t.Errorf("handoff (-want +got):\n%s", diff)
	}
	a.do("POST", "/v1/runs/"+id+":fork", map[string]any{"mode": "branch",
		"fromSeq": a.chain(id)[1].event.Sequence + 1}).wantError(http.StatusUnprocessableEntity, "invalid_from_seq")
}

// The answer to the first creation is lost on the way: asked again, the peer finds the child that it has made.
func TestPeerAnswerIsLost(t *testing.T) {
	b := serve(t, Options{HostID: "host-b", Key: "key-b"})
	var lost atomic.Int32
	front := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodPost && r.URL.Path == "/v1/runs" && lost.Add(1) == 1 {
			b.host.Handler().ServeHTTP(httptest.NewRecorder(), r)
			panic(http.ErrAbortHandler)
		}
		b.host.Handler().ServeHTTP(w, r)
	}))
	t.Cleanup(front.Close)
	a := serve(t, Options{HostID: "host-a", Peers: map[string]Peer{SecondHost: {URL: front.URL, Key: "key-b"}}})
	id := a.create(fixtureRemote, handsTo("second/assay-echo"))
	a.until(id, openwopv1.RunStatusCompleted)
	if n := countRuns(b, a.awaitChild(id)); n != 1 || lost.Load() < 2 {
		t.Errorf("%d children were made in %d attempts", n, lost.Load())
	}
}

// A peer is somebody else's host: whatever it does, the run ends and says so.
func TestHostilePeers(t *testing.T) {
	discovery := `{"multiAgent":{"executionModel":{"crossHostCausation":{"hostId":"host-b"}}}}`
	for name, c := range map[string]struct {
		answers map[string]string // by what the path ends with; the status is 200
		phase   openwopv1.ChainPhase
		code    string
	}{
		"down":       {nil, openwopv1.ChainPhaseDispatchFailed, "peer_unreachable"},
		"not a host": {map[string]string{"": "<html>"}, openwopv1.ChainPhaseDispatchFailed, "peer_invalid"},
		"no host id": {map[string]string{"openwop": "{}"}, openwopv1.ChainPhaseDispatchFailed, "peer_invalid"},
		"our host id": {map[string]string{"openwop": strings.Replace(discovery, "host-b", "host-a", 1)},
			openwopv1.ChainPhaseDispatchFailed, "peer_invalid"},
		"a host id to fear": {map[string]string{"openwop": strings.Replace(discovery, "host-b", `\u001b[31m`, 1)},
			openwopv1.ChainPhaseDispatchFailed, "peer_invalid"},
		"a run id that climbs": {map[string]string{"openwop": discovery, "runs": `{"runId":"../../x"}`},
			openwopv1.ChainPhaseDispatchFailed, "peer_invalid"},
		"no end of a reply": {map[string]string{"openwop": discovery, "runs": strings.Repeat(" ", peerReply+1)},
			openwopv1.ChainPhaseDispatchFailed, "peer_invalid"},
		"ends without an event": {map[string]string{"openwop": discovery, "runs": `{"runId":"r"}`, "poll": `{"isComplete":true}`},
			openwopv1.ChainPhaseChildFailed, "peer_invalid"},
		"an end to fear": {map[string]string{"openwop": discovery, "runs": `{"runId":"r"}`,
			"poll": `{"events":[{"type":"run.completed","eventId":"\u001b[31m"}]}`}, openwopv1.ChainPhaseChildFailed, "peer_invalid"},
		"too much to bring back": {map[string]string{"openwop": discovery, "runs": `{"runId":"r"}`,
			"poll": `{"events":[{"type":"run.completed","eventId":"e"}]}`,
			"r":    `{"status":"completed","variables":{"word":"` + strings.Repeat("x", peerSnapshot) + `"}}`},
			openwopv1.ChainPhaseChildFailed, "peer_invalid"},
		"long words": {map[string]string{"openwop": discovery, "runs": `{"runId":"r"}`,
			"poll": `{"events":[{"type":"run.failed","eventId":"e"}]}`,
			"r": `{"status":"failed","error":{"code":"` + strings.Repeat("c", mostWords) + `","message":"` + strings.Repeat("m",
				9*mostWords) + `"}}`}, openwopv1.ChainPhaseChildFailed, strings.Repeat("c", mostWords)},
	} {
		t.Run(name, func(t *testing.T) {
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				answer, known := c.answers[r.URL.Path[strings.LastIndexByte(r.URL.Path, '/')+1:]]
				if !known {
					answer = c.answers[""]
				}
				fmt.Fprint(w, answer)
			}))
			if c.answers == nil {
				server.Close()
			}
			t.Cleanup(server.Close)
			a := serve(t, Options{HostID: "host-a", Peers: map[string]Peer{SecondHost: {URL: server.URL}}})
			id := a.create(fixtureRemote, handsTo("second/assay-echo"))
			a.until(id, openwopv1.RunStatusCompleted)
			steps := a.chain(id)
			if end := steps[len(steps)-1]; end.Phase != c.phase || end.Error == nil || end.Error.Code != c.code ||
				len(end.Error.Message) > 2*mostWords {
				t.Errorf("the handoff ends with %s, %+v", end.Phase, end.Error)
			}
		})
	}
}

// A peer that sends this host elsewhere has no say in where its key goes.
func TestPeersRedirectNobody(t *testing.T) {
	var asked atomic.Int32
	elsewhere := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { asked.Add(1) }))
	t.Cleanup(elsewhere.Close)
	server := httptest.NewServer(http.RedirectHandler(elsewhere.URL, http.StatusTemporaryRedirect))
	t.Cleanup(server.Close)
	a := serve(t, Options{HostID: "host-a", Peers: map[string]Peer{SecondHost: {URL: server.URL, Key: "s3cret"}}})
	id := a.create(fixtureRemote, handsTo("second/assay-echo"))
	a.until(id, openwopv1.RunStatusCompleted)
	steps := a.chain(id)
	if end := steps[len(steps)-1]; end.Phase != openwopv1.ChainPhaseDispatchFailed || end.Error.Code != codePeer || asked.Load() > 0 {
		t.Errorf("the handoff ends with %s, %+v, and %d requests went elsewhere", end.Phase, end.Error, asked.Load())
	}
}

// A child whose host has gone for good cannot keep its parent from being cancelled.
func TestPeerGoesAway(t *testing.T) {
	var gone atomic.Bool // from when it is told to cancel: a child lost earlier lets its parent go on, and complete
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch {
		case strings.HasSuffix(r.URL.Path, "/cancel"):
			gone.Store(true)
			fallthrough
		case gone.Load():
			w.WriteHeader(http.StatusNotFound)
			fmt.Fprint(w, `{"error":"not_found","message":"no such run"}`)
		case strings.HasSuffix(r.URL.Path, "openwop"):
			fmt.Fprint(w, `{"multiAgent":{"executionModel":{"crossHostCausation":{"hostId":"host-b"}}}}`)
		case strings.HasSuffix(r.URL.Path, "runs"):
			fmt.Fprint(w, `{"runId":"r"}`)
		default:
			fmt.Fprint(w, `{"events":[]}`)
		}
	}))
	t.Cleanup(server.Close)
	a := serve(t, Options{HostID: "host-a", Peers: map[string]Peer{SecondHost: {URL: server.URL}}})
	id := a.create(fixtureRemote, handsTo("second/assay-echo"))
	a.awaitChild(id)
	a.do("POST", "/v1/runs/"+id+"/cancel", `{}`).want(http.StatusOK)
	a.until(id, openwopv1.RunStatusCancelled)
	steps := a.chain(id)
	if end := steps[len(steps)-1]; end.Phase != openwopv1.ChainPhaseChildFailed || end.CausationHostID != "" ||
		end.Error.Code != "peer_lost" || !gone.Load() {
		t.Errorf("the handoff ends with %s on %q, %+v; the peer was told: %t", end.Phase, end.CausationHostID, end.Error, gone.Load())
	}
}

func TestParentsThatCannotBe(t *testing.T) {
	b := serve(t, Options{HostID: "host-b"})
	for _, sent := range []string{
		"%zz", "runId=r", "runId=r&hostId=host-b&depth=1", "runId=../x&hostId=h&depth=1", "runId=r&hostId=h&depth=0", "runId=r&hostId=h&depth=x",
		"runId=r&hostId=h&depth=1&wellKnownUrl=ftp://x", "runId=r&hostId=h&depth=1&wellKnownUrl=http://u:p@x",
		"runId=r&hostId=h&depth=1&wellKnownUrl=" + strings.Repeat("x", mostParentHeader),
	} {
		b.do("POST", "/v1/runs", map[string]any{"workflowId": "conformance-noop"},
			header{headerParent, sent}).wantError(http.StatusBadRequest, codeValidation)
	}
	for _, sent := range []string{"x", "00-" + strings.Repeat("0", 32) + "-b7ad6b7169203331-01", strings.ToUpper(someTrace)} {
		id := decoded[openwopv1.CreateRunResponse](b.do("POST", "/v1/runs", map[string]any{"workflowId": "conformance-noop"},
			header{headerTrace, sent}).want(http.StatusCreated)).RunID
		if got := b.run(id).Metadata["traceparent"]; got != nil {
			t.Errorf("%q is taken for a trace: %v", sent, got)
		}
	}
	below := serve(t, Options{Version: 2})
	id := decoded[openwopv1.CreateRunResponse](below.do("POST", "/v1/runs", map[string]any{"workflowId": "conformance-noop"},
		header{headerTrace, someTrace}, header{headerParent, "runId=r"}).want(http.StatusCreated)).RunID
	if got := below.run(id).Metadata["traceparent"]; got != nil {
		t.Errorf("below version 3 a run shows a trace: %v", got)
	}
}

func TestPeerOptions(t *testing.T) {
	for want, o := range map[string]Options{
		`peer \(--peer\): version 2`:          {Version: 2, Peers: map[string]Peer{"b": {URL: "http://b.example"}}},
		`peer \(--peer\) "B/c": give a name`:  {Peers: map[string]Peer{"B/c": {URL: "http://b.example"}}},
		`peer \(--peer\) b: give the base`:    {Peers: map[string]Peer{"b": {URL: "b.example"}}},
		`peer \(--peer\) b: this host cannot`: {Peers: map[string]Peer{"b": {URL: "http://b.example", Key: "s3cret\n"}}},
		`host id \(--host-id\) "a b"`:         {HostID: "a b"},
	} {
		_, err := New(t.Context(), o)
		if err == nil || !regexp.MustCompile(want).MatchString(err.Error()) || strings.Contains(err.Error(), "s3cret") {
			t.Errorf("%v, want %s", err, want)
		}
	}
}
