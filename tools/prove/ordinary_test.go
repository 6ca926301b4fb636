package prove_test

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/openassay/assay/internal/testenv"
	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/observed"
	"github.com/openassay/assay/tools/internal/protocols"
	"github.com/openassay/assay/tools/record"
)

// user is somebody who works with an OpenWOP host: starts runs, follows them, answers what they ask, and looks at what comes of it. It
// knows nothing of faults and does not care what it is told.
type user struct {
	base, key string
	rnd       *rand.Rand
}

const ordinaryAgent = "a-users-own/1.0"

// fields are JSON that is sent or was told.
type fields = map[string]any

// runs works until so many runs were started.
func (u *user) runs(ctx context.Context, n int) {
	u.call(ctx, "GET", "/.well-known/openwop", nil)
	for i := range n {
		if ctx.Err() != nil {
			return
		}
		days := []func(context.Context, int){u.plain, u.loops, u.answers, u.watches, u.stops, u.repeats, u.bounds, u.forks, u.notes, u.errs,
			u.aims}
		days[i%len(days)](ctx, i)
	}
}

// call asks for something, and returns the status and what was told.
func (u *user) call(ctx context.Context, method, path string, body any, headers ...string) (int, fields) {
	reply, err := u.ask(ctx, method, path, body, headers...)
	if err != nil {
		return 0, nil
	}
	defer func() { _ = reply.Body.Close() }()
	var told fields
	content, _ := io.ReadAll(io.LimitReader(reply.Body, 1<<22))
	_ = json.Unmarshal(content, &told)
	return reply.StatusCode, told
}

func (u *user) ask(ctx context.Context, method, path string, body any, headers ...string) (*http.Response, error) {
	var content io.Reader
	if body != nil {
		encoded, err := json.Marshal(body)
		if err != nil {
			return nil, err
		}
		content = bytes.NewReader(encoded)
	}
	r, err := http.NewRequestWithContext(ctx, method, u.base+path, content)
	if err != nil {
		return nil, err
	}
	r.Header.Set("Authorization", "Bearer "+u.key)
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("User-Agent", ordinaryAgent)
	for i := 0; i+1 < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
	}
	return http.DefaultClient.Do(r)
}

// start starts a run and returns its id.
func (u *user) start(ctx context.Context, workflow string, more fields, headers ...string) string {
	request := fields{"workflowId": workflow}
	for name, value := range more {
		request[name] = value
	}
	_, made := u.call(ctx, "POST", "/v1/runs", request, headers...)
	id, _ := made["runId"].(string)
	return id
}

var ended = map[string]bool{"completed": true, "failed": true, "cancelled": true}

// follow polls the log of a run and looks at the run, and answers what it asks, until it is over or nothing happens any more. It returns
// the last snapshot.
func (u *user) follow(ctx context.Context, id string, answer func(fields) any) (last fields) {
	if id == "" {
		return nil
	}
	path, cursor, still := "/v1/runs/"+url.PathEscape(id), "", 0
	for still < 3 {
		still++
		_, page := u.call(ctx, "GET", path+"/events/poll?timeout=1"+cursor, nil)
		events, _ := page["events"].([]any)
		if len(events) > 0 {
			still = 0
			if e, _ := events[len(events)-1].(fields); e["sequence"] != nil {
				cursor = fmt.Sprintf("&lastSequence=%v", e["sequence"])
			}
		}
		_, last = u.call(ctx, "GET", path, nil)
		status, _ := last["status"].(string)
		switch {
		case ended[status]:
			u.call(ctx, "GET", path+"/events/poll", nil)
			return last
		case strings.HasPrefix(status, "waiting") || status == "paused":
			if answer == nil {
				return last
			}
			node, _ := last["currentNodeId"].(string)
			u.call(ctx, "POST", path+"/interrupts/"+url.PathEscape(node), fields{"resumeValue": answer(last)})
		}
	}
	return last
}

// accepts answers any question.
func accepts(run fields) any {
	interrupt, _ := run["interrupt"].(fields)
	data, _ := interrupt["data"].(fields)
	switch interrupt["kind"] {
	case "clarification":
		answers := fields{}
		questions, _ := data["questions"].([]any)
		for _, q := range questions {
			if one, _ := q.(fields); one["id"] != nil {
				answers[fmt.Sprint(one["id"])] = "yes"
			}
		}
		return fields{"answers": answers}
	case "external-event":
		value := fields{"eventPayload": fields{"a": 1}}
		correlation, _ := data["correlation"].(fields)
		for name, v := range correlation {
			value[name] = v
		}
		return value
	}
	return fields{"action": "accept"}
}

func one(rnd *rand.Rand, names ...string) string { return names[rnd.IntN(len(names))] }

// plan is what a supervisor is to decide, turn by turn.
func (u *user) plan(workers ...string) (turns []any) {
	for range u.rnd.IntN(5) {
		turns = append(turns, fields{"kind": "next-worker", "nextWorkerIds": []string{one(u.rnd, workers...)}})
	}
	return append(turns, fields{"kind": "terminate", "reason": "goal-reached"})
}

// plain runs a workflow as it is.
func (u *user) plain(ctx context.Context, _ int) {
	workflow := one(u.rnd, "conformance-noop", "assay-echo", "conformance-multi-agent-handoff", "conformance-dispatch-output-mapping",
		"conformance-dispatch-input-mapping", "conformance-dispatch-cross-worker-handoff", "conformance-dispatch-loop",
		"conformance-dispatch-per-worker-override", "conformance-orchestrator-dispatch", "conformance-orchestrator-terminate",
		"assay-nodes", "assay-scripted-fails", "assay-random", "assay-scripted-met", "assay-scripted-unmet")
	u.follow(ctx, u.start(ctx, workflow, fields{"tags": []string{"daily"}}), accepts)
}

// loops runs a loop with a plan, with people and workers in it.
func (u *user) loops(ctx context.Context, _ int) {
	switch u.rnd.IntN(6) {
	case 0:
		turns := u.plan("conformance-noop", "assay-echo")
		ask := fields{"kind": "ask-user", "prompt": "Shall the loop go on?"}
		u.follow(ctx, u.start(ctx, "assay-loop-ask-user", fields{"inputs": fields{"plan": append([]any{ask}, turns...)}}), accepts)
	case 1:
		turns := u.plan("assay-memory-worker", "conformance-noop")
		u.follow(ctx, u.start(ctx, "assay-loop-memory", fields{"inputs": fields{"plan": turns}}), accepts)
	case 2:
		u.follow(ctx, u.start(ctx, "assay-loop-workspace", nil), accepts)
	case 3:
		u.follow(ctx, u.start(ctx, "assay-loop-verified", nil), accepts)
	case 4:
		turns := u.plan("conformance-dispatch-deterministic-fail-child", "conformance-noop", "no-such-worker")
		u.follow(ctx, u.start(ctx, "assay-loop", fields{"inputs": fields{"plan": turns}}), accepts)
	default:
		u.follow(ctx, u.start(ctx, "assay-loop", fields{"inputs": fields{"plan": u.plan("conformance-noop", "assay-echo")}}), accepts)
	}
}

// answers answers what runs ask, in its own way.
func (u *user) answers(ctx context.Context, _ int) {
	workflow := one(u.rnd, "conformance-approval", "conformance-clarification", "assay-approval", "assay-questions", "assay-loop-ask-user",
		"conformance-orchestrator-low-confidence", "conformance-multi-agent-confidence-escalation", "assay-scripted-doubt",
		"assay-scripted-ask-twice", "conformance-interrupt-external-event", "assay-loop-reject")
	no := u.rnd.IntN(4) == 0
	id := u.start(ctx, workflow, nil)
	u.follow(ctx, id, func(run fields) any {
		value := accepts(run)
		if v, _ := value.(fields); no && v["action"] != nil {
			return fields{"action": "reject"}
		}
		return value
	})
	if u.rnd.IntN(3) == 0 { // too late
		path := "/v1/runs/" + url.PathEscape(id)
		_, run := u.call(ctx, "GET", path, nil)
		node, _ := run["currentNodeId"].(string)
		u.call(ctx, "POST", path+"/interrupts/"+url.PathEscape(cmp.Or(node, "gate")), fields{"resumeValue": fields{"action": "accept"}})
	}
}

// watches reads streams.
func (u *user) watches(ctx context.Context, _ int) {
	id := u.start(ctx, one(u.rnd, "conformance-multi-agent-handoff", "assay-nodes", "conformance-delay", "assay-loop"),
		fields{"inputs": fields{"delayMs": 20}})
	mode := one(u.rnd, "", "?streamMode=debug", "?streamMode=updates", "?streamMode=debug&bufferMs=20")
	last := u.stream(ctx, id, mode, "")
	if last != "" && u.rnd.IntN(2) == 0 {
		u.stream(ctx, id, mode, "1")
	}
	u.follow(ctx, id, nil)
}

// stream reads a stream to its end and returns the last id.
func (u *user) stream(ctx context.Context, id, mode, behind string) (last string) {
	ctx, cancel := context.WithTimeout(ctx, 3*time.Second)
	defer cancel()
	headers := []string{"Accept", "text/event-stream"}
	if behind != "" {
		headers = append(headers, "Last-Event-ID", behind)
	}
	reply, err := u.ask(ctx, "GET", "/v1/runs/"+url.PathEscape(id)+"/events"+mode, nil, headers...)
	if err != nil {
		return ""
	}
	defer func() { _ = reply.Body.Close() }()
	lines := bufio.NewScanner(reply.Body)
	for lines.Scan() {
		if id, is := strings.CutPrefix(lines.Text(), "id:"); is {
			last = strings.TrimSpace(id)
		}
	}
	return last
}

// stops cancels, pauses and resumes runs.
func (u *user) stops(ctx context.Context, _ int) {
	id := u.start(ctx, one(u.rnd, "conformance-cancellable", "conformance-approval", "assay-loop-ask-user", "assay-loop-waits"), nil)
	path := "/v1/runs/" + url.PathEscape(id)
	u.call(ctx, "GET", path, nil)
	if u.rnd.IntN(2) == 0 {
		u.call(ctx, "POST", path+":pause", fields{"reason": "lunch"})
		u.call(ctx, "GET", path, nil)
		u.call(ctx, "POST", path+":resume", fields{"reason": "back"})
		u.call(ctx, "GET", path, nil)
	}
	u.call(ctx, "POST", path+"/cancel", fields{"reason": "not needed"})
	u.follow(ctx, id, nil)
	u.call(ctx, "POST", path+"/cancel", fields{"reason": "not needed"})
	u.call(ctx, "GET", path, nil)
}

// repeats sends a request again, as one does that had no reply.
func (u *user) repeats(ctx context.Context, i int) {
	key := fmt.Sprintf("order-%d-%d", i, u.rnd.IntN(1<<30))
	request := fields{"inputs": fields{"word": "hello"}}
	id := u.start(ctx, "assay-echo", request, "Idempotency-Key", key)
	u.start(ctx, "assay-echo", request, "Idempotency-Key", key)
	if u.rnd.IntN(2) == 0 {
		u.start(ctx, "assay-echo", fields{"inputs": fields{"word": "bye"}}, "Idempotency-Key", key)
	}
	u.follow(ctx, id, nil)
}

// bounds runs loops that do not end by themselves.
func (u *user) bounds(ctx context.Context, _ int) {
	workflow, limits := "assay-loop-endless", fields{"maxLoopIterations": 2 + u.rnd.IntN(3)}
	switch u.rnd.IntN(4) {
	case 0:
		workflow, limits = "conformance-cap-breach", fields{"recursionLimit": 3}
	case 1:
		workflow, limits = "conformance-run-duration-breach", fields{"runTimeoutMs": 100}
	}
	u.follow(ctx, u.start(ctx, workflow, fields{"configurable": limits}), accepts)
}

// forks goes back to an earlier point of a run.
func (u *user) forks(ctx context.Context, _ int) {
	id := u.start(ctx, one(u.rnd, "conformance-multi-agent-handoff", "assay-loop", "assay-nodes", "conformance-phase4-nondet-tool",
		"assay-echo"), nil)
	u.follow(ctx, id, accepts)
	request := fields{"mode": "replay", "fromSeq": 0}
	if u.rnd.IntN(2) == 0 {
		request = fields{"mode": "branch", "fromSeq": 1 + u.rnd.IntN(4)}
	}
	path := "/v1/runs/" + url.PathEscape(id)
	_, made := u.call(ctx, "POST", path+":fork", request)
	fork, _ := made["runId"].(string)
	u.follow(ctx, fork, accepts)
	if fork != "" {
		u.call(ctx, "GET", path+":diff?against="+url.QueryEscape(fork), nil)
		u.call(ctx, "GET", "/v1/runs/"+url.PathEscape(fork)+"/ancestry", nil)
	}
}

// notes keeps files.
func (u *user) notes(ctx context.Context, i int) {
	const files = "/v1/host/workspace/files"
	path := fmt.Sprintf("%s/notes/day-%d.md", files, i)
	_, made := u.call(ctx, "PUT", path, fields{"content": "one"})
	etag, _ := made["etag"].(string)
	u.call(ctx, "PUT", path, fields{"content": "two"}, "If-Match", etag)
	u.call(ctx, "PUT", path, fields{"content": "three"}, "If-Match", etag)
	u.call(ctx, "GET", path, nil)
	u.call(ctx, "GET", files+"?prefix=notes/", nil)
	if u.rnd.IntN(2) == 0 {
		u.call(ctx, "DELETE", path, nil)
		u.call(ctx, "GET", path, nil)
	}
	u.follow(ctx, u.start(ctx, "assay-loop-workspace", nil), accepts)
}

// errs makes mistakes.
func (u *user) errs(ctx context.Context, _ int) {
	u.start(ctx, "no-such-workflow", nil)
	u.call(ctx, "GET", "/v1/runs/no-such-run", nil)
	u.call(ctx, "POST", "/v1/runs", fields{"workflowId": 7})
	id := u.start(ctx, "conformance-noop", fields{"configurable": fields{"maxLoopIterations": 0}})
	u.follow(ctx, id, nil)
	id = u.start(ctx, "conformance-approval", nil)
	u.call(ctx, "POST", "/v1/runs/"+url.PathEscape(id)+"/interrupts/no-such-node", fields{"resumeValue": fields{"action": "accept"}})
	u.follow(ctx, id, accepts)
}

// aims pursues a goal.
func (u *user) aims(ctx context.Context, i int) {
	const goals = "/v1/host/sample/goals"
	_, made := u.call(ctx, "POST", goals, fields{"objective": fmt.Sprintf("tidy up %d", i),
		"completion": fields{"check": "host"}, "continuation": fields{"mode": "manual"}, "bounds": fields{"maxLoopIterations": 3}})
	id, _ := made["id"].(string)
	if id == "" {
		return
	}
	path := goals + "/" + url.PathEscape(id)
	for range 2 {
		u.call(ctx, "POST", path+"/tick", fields{})
		_, goal := u.call(ctx, "GET", path, nil)
		if runs, _ := goal["runIds"].([]any); len(runs) > 0 {
			u.follow(ctx, fmt.Sprint(runs[len(runs)-1]), accepts)
		}
	}
	u.call(ctx, "GET", path+"/events", nil)
	u.call(ctx, "POST", path+"/"+one(u.rnd, "abandon", "pause"), fields{})
	u.call(ctx, "GET", path, nil)
}

// working records what a user does with a target that is started for it, and returns the folder.
func working(t *testing.T, start protocols.Specimen, seed uint64, n int) string {
	t.Helper()
	leave, err := lab.Enter(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer leave()
	target, stop, err := start.Start(t.Context(), lab.Target(start.Protocol()), protocols.Place{})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = stop(context.WithoutCancel(t.Context())) }()
	return taped(t, target.URL, target.Key, seed, n)
}

// taped records what a user does with the host at an address, and returns the folder.
func taped(t *testing.T, address, key string, seed uint64, n int) string {
	t.Helper()
	dir := t.TempDir()
	r, err := record.New(record.Options{Target: address, Dir: dir, Most: 1 << 28})
	if err != nil {
		t.Fatal(err)
	}
	front := httptest.NewServer(r)
	u := user{base: front.URL, key: key, rnd: rand.New(rand.NewPCG(seed, 0))}
	u.runs(testenv.Soon(t, time.Minute), n)
	front.Close()
	if _, err := r.Close(); err != nil {
		t.Fatal(err)
	}
	return dir
}

var (
	ordinaryRuns   = flag.Int("ordinary-runs", 44, "how many runs a user starts on each host")
	ordinaryHosts  = flag.Int("ordinary-hosts", 2, "how many honest hosts a user works with, drawn; 0 is all")
	ordinaryFaults = flag.Int("ordinary-faults", 0, "how many faults, drawn from those that recordings can show: draw 50 or more")
	ordinarySeed   = flag.Uint64("ordinary-seed", 1, "seed that hosts and faults are drawn from")
)

// What a host does for a user who knows nothing of faults accuses no honest host, and shows many of the faults that break what recordings
// can show.
func TestOrdinaryTraffic(t *testing.T) {
	many(t)
	t.Parallel()
	row := protocols.Named("openwop")
	suites := row.Targets[0].Suites()
	observe := func(t *testing.T, start protocols.Specimen, seed uint64) *observed.Report {
		all, err := observed.Read(os.DirFS(working(t, start, seed, *ordinaryRuns)), row.Protocol)
		if err != nil {
			t.Fatal(err)
		}
		return observed.Judge{Protocol: row.Protocol, Suites: suites, Tell: row.Targets[0].Tell, Alone: true}.Judge(all[0])
	}
	rnd := rand.New(rand.NewPCG(*ordinarySeed, 1))
	honest := row.Honest()
	rnd.Shuffle(len(honest)-1, func(i, j int) { honest[i+1], honest[j+1] = honest[j+1], honest[i+1] }) // the plain one stays first
	if n := *ordinaryHosts; n > 0 {
		honest = honest[:min(n, len(honest))]
	}
	for _, h := range honest {
		t.Run("honest "+h.Name, func(t *testing.T) {
			t.Parallel()
			r := observe(t, h.Specimen, *ordinarySeed)
			accuse(t, "ordinary traffic", r)
			t.Logf("%d exchanges, %d requirements borne out", r.Exchanges, len(r.Rows))
			if len(r.Rows) < 20 {
				t.Errorf("%d requirements are seen in %d exchanges", len(r.Rows), r.Exchanges)
			}
		})
	}
	observeFault := func(t *testing.T, f protocols.Fault, seed uint64) (shown []string) {
		for _, r := range observe(t, f.Specimen, seed).Rows {
			if r.Violated() {
				shown = append(shown, string(r.Requirement))
			}
		}
		t.Logf("breaks %v, shown %v", f.Breaks, shown)
		return shown
	}
	for _, id := range plainToSee {
		f, err := row.Fault(id)
		if err != nil {
			t.Fatal(err)
		}
		t.Run("plain to see "+id, func(t *testing.T) {
			t.Parallel()
			shown := observeFault(t, f, plainSeed)
			if !slices.ContainsFunc(f.Breaks, func(id string) bool { return slices.Contains(shown, id) }) {
				t.Errorf("%s is not found: it breaks %v, and %v are shown", id, f.Breaks, shown)
			}
		})
	}
	watched := observed.Watched(row.Protocol, suites)
	faults := slices.DeleteFunc(row.Faults(), func(f protocols.Fault) bool {
		return !slices.ContainsFunc(f.Breaks, func(id string) bool { return slices.Contains(watched, scenarios.RequirementID(id)) })
	})
	rnd.Shuffle(len(faults), func(i, j int) { faults[i], faults[j] = faults[j], faults[i] })
	faults = faults[:min(*ordinaryFaults, len(faults))]
	var found atomic.Int64
	t.Cleanup(func() {
		t.Logf("%d of %d faults are found", found.Load(), len(faults))
		if int(found.Load())*leastFound < len(faults) {
			t.Errorf("no more than %d of %d faults are found", found.Load(), len(faults))
		}
	})
	for _, f := range faults {
		t.Run(f.ID, func(t *testing.T) {
			t.Parallel()
			if len(observeFault(t, f, *ordinarySeed)) > 0 {
				found.Add(1)
			}
		})
	}
}

// plainToSee are faults that the user of plainSeed comes across.
var plainToSee = []string{"bounds.node-failure-named-otherwise", "bounds.time-failure-named-otherwise", "bounds.turn-breach-at-the-bound",
	"dispatch.orchestrator-misnamed", "loop.last-decision-unsigned", "loop.last-turn-uncounted"}

const plainSeed = 1

// leastFound: one in so many of the drawn faults must be found.
const leastFound = 4
