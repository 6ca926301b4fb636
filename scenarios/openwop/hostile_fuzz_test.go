package openwop

import (
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/openassay/assay/gen/openwop"
	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/openwop/claims"
	"github.com/openassay/assay/scenarios/openwop/dialect"
	"github.com/openassay/assay/scenarios/openwop/host"
	"github.com/openassay/assay/scenarios/openwop/interrupts"
	"github.com/openassay/assay/scenarios/openwop/refusals"
	"github.com/openassay/assay/scenarios/wire"
	"github.com/openassay/assay/scenarios/wire/wiretest"
)

// received returns a body as a drive receives it. It returns false if the body is refused before that.
func received(t *testing.T, body string) (wire.Value, bool) {
	limits := wire.DefaultLimits()
	if _, err := wire.Vet([]byte(body), limits.Depth, limits.NumberChars); err != nil {
		return wire.Value{}, false
	}
	return wiretest.Value(t, body), true
}

// Any pages make a log that is in order and holds each event once.
func FuzzRunLog(f *testing.F) {
	const decided = `{"eventId":"a","runId":"r","sequence":1,"type":"runOrchestrator.decided","timestamp":"2026-11-01T00:00:00Z","payload":{"iteration":1,"decision":{"kind":"terminate"}}}`
	f.Add(`{"events":[`+decided+`]}`, `{"events":[`+decided+`,{"eventId":"b","sequence":3}]}`, `{"status":"completed"}`)
	f.Add(`{"events":[{"sequence":-1},{"sequence":1.5},{"sequence":"2"},{"sequence":9223372036854775807},7,null,[]]}`,
		`{"events":{"0":{}}}`, `[]`)
	f.Add(`{"events":[{"type":"cap.breached","payload":[]},{"type":"core.workflowChain.event","payload":{"phase":7}}]}`, `7`, `{"status":{}}`)
	f.Add(`{"events":[{"sequence":1e400,"timestamp":"9999-12-31T23:59:59Z"},{"sequence":-9223372036854775808,"timestamp":"0000-01-01T00:00:00Z"}]}`, `{}`, `{}`)
	f.Fuzz(func(t *testing.T, first, second, snapshot string) {
		one, ok1 := received(t, first)
		two, ok2 := received(t, second)
		last, ok3 := received(t, snapshot)
		if !ok1 || !ok2 || !ok3 {
			return
		}
		l := host.RunLog{RunID: "r", Ended: wire.Wait{Last: last}}
		l.Add(one.At("/events").Items())
		l.Add(two.At("/events").Items())
		for i := 1; i < len(l.Events); i++ {
			if host.Sequence(l.Events[i]) < host.Sequence(l.Events[i-1]) {
				t.Fatalf("out of order at %d", i)
			}
		}
		before := len(l.Events)
		l.Add(one.At("/events").Items())
		if len(l.Events) != before {
			t.Fatalf("%d events became %d by a page that was known", before, len(l.Events))
		}
		if pace := l.Pace(); pace < 0 || pace > time.Second {
			t.Fatalf("it goes on after %s", pace)
		}
		read(l)
	})
}

// read exercises every accessor of a log.
func read(l host.RunLog) {
	l.HasGap()
	interrupts.Names(l, "x")
	l.Phase(dialect.ChainPhaseChildCompleted)
	for _, found := range []wire.Found{l.All(), l.Decided(), l.Iterations(), l.Kinds(), l.Breaches(), l.Terminals()} {
		_ = found.Last().JSON()
	}
	_ = host.IsTerminal(l.Status().String())
}

// Any discovery document gets a verdict wherever it alone decides. A hostile one never makes a scenario Broken.
func FuzzDiscovery(f *testing.F) {
	f.Add(`{"protocolVersion":"1.0","supportedEnvelopes":["a"],"schemaVersions":{"a":1},"limits":{"maxLoopIterations":9},"fixtures":["a","a",7]}`)
	f.Add(`{"multiAgent":{"executionModel":{"supported":true,"version":5,"statefulResume":true,"confidenceEscalation":{"floor":2},"crossHostCausation":{"hostId":""}}}}`)
	f.Add(`{"multiAgent":{"executionModel":{"supported":"yes","version":5.5}},"agents":{"orchestrator":true,"dispatch":false},"replay":{"supported":true,"modes":[7]}}`)
	f.Add(`{"capabilities":{"workspace":{"supported":true,"maxFiles":-1},"memory":[],"heartbeat":null,"goals":{"supported":true,"bounds":7}}}`)
	f.Add(`{"limits":[],"fixtures":{},"multiAgent":7,"interrupts":{"kinds":[null]},"implementation":{"name":7,"version":[]}}`)
	f.Fuzz(func(t *testing.T, document string) {
		v, ok := received(t, document)
		if !ok {
			return
		}
		d := scenarios.Discovery{Document: v, Status: wiretest.Status(t, http.StatusOK)}
		describe(d)
		checkDiscovery(dialect.V1, []byte(document))
		for _, c := range claims.All {
			c.Look(d)
		}
		for _, suite := range Suites() {
			for _, s := range suite.Scenarios {
				if _, driven := s.Ask.Drive(); driven {
					continue
				}
				if _, claimed := s.Claim.Look(d); !claimed {
					continue
				}
				if o := scenarios.Conclude(s, Protocol.Ledger, d); o.Verdict == scenarios.Broken {
					t.Fatalf("%s is broken: %s", s.ID, o.Reason)
				}
			}
		}
	})
}

// Any token stays one segment of a path, and its forgeries differ from it.
func FuzzTokens(f *testing.F) {
	f.Add("eyJydW4iOiJyIn0.c2lnbmF0dXJl", "eyJydW4iOiJzIn0.b3RoZXI")
	f.Add("", "")
	f.Add("abcd", ".")
	f.Add("../../etc/passwd?x=1#y", "%2e%2e%2f")
	f.Add("täken\x00\xff\r\n", "\U0001F600.")
	f.Fuzz(func(t *testing.T, token, other string) {
		w := &interrupts.Waiting{Run: &host.Run{Host: host.Host{Conn: &scenarios.Conn{Rand: scenarios.NewDraws(1, "run", "drive")}}}}
		if altered := w.Altered(token); len(altered) != len(token) || len(token) >= 4 && altered == token {
			t.Fatalf("%q is altered to %q", token, altered)
		}
		_ = interrupts.Spliced(token, other)
		segment := strings.TrimPrefix(dialect.V1.Path(dialect.UseToken, token), "/v1/interrupts/")
		if plain, err := url.PathUnescape(segment); err != nil || plain != token || strings.ContainsAny(segment, "/?#\r\n ") {
			t.Fatalf("%q is asked for as %q: %v", token, segment, err)
		}
	})
}

// A refusal is judged whatever its body holds, and no other status passes as a refusal.
func FuzzProblem(f *testing.F) {
	f.Add(400, `{"error":"validation_error","message":"no","details":{}}`)
	f.Add(400, `{"error":7,"message":[],"details":"x","extra":null}`)
	f.Add(404, `{"error":"not_found","message":"no","details":{"requiredCapability":7}}`)
	f.Add(200, `{"error":"validation_error","message":"no"}`)
	f.Add(500, `<html>`)
	f.Add(422, `[null]`)
	f.Fuzz(func(t *testing.T, status int, body string) {
		v, ok := received(t, body)
		if !ok || status < 100 || status > 599 {
			return
		}
		a := host.Answered{Asked: "something odd", Status: wiretest.Status(t, status), Body: v}
		s := scenarios.Scenario{ID: "openwop/fuzz/problem", Proves: scenarios.IDs{openwop.OWPERR4, openwop.OWPERR5, openwop.OWPERR11,
			openwop.OWPERR14}}
		s.Ask = scenarios.Advertised(func(_ scenarios.Discovery, j *scenarios.Judge) {
			a.Unknown()
			refusals.Coded(a, j, openwop.OWPERR11, dialect.InvalidBody)
			refusals.NotAFault(a, j, openwop.OWPERR14)
		})
		o := scenarios.Conclude(s, Protocol.Ledger, scenarios.Discovery{})
		if o.Verdict == scenarios.Broken && strings.Contains(o.Reason, "panicked") {
			t.Fatal(o.Reason)
		}
		if refused := status/100 == 4; o.Verdict == scenarios.Passed && !refused {
			t.Fatalf("HTTP %d passed as a refusal", status)
		}
	})
}
