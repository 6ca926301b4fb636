package prove

import (
	"context"
	"net/http"
	"strings"
	"testing"

	"github.com/openassay/assay/internal/apidoc"
	"github.com/openassay/assay/internal/validate"
	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/wire"
	"github.com/openassay/assay/tools/internal/protocols"
)

// certifyPlain certifies the plain honest specimen of a row with these suites.
func certifyPlain(t *testing.T, row *protocols.Row, suites ...scenarios.Suite) (*scenarios.Report, wire.Target) {
	t.Helper()
	lab, err := NewLab(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	target, stop, err := row.Honest()[0].Specimen.Start(t.Context(), lab.Target(row.Protocol), protocols.Place{})
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := stop(context.WithoutCancel(t.Context())); err != nil {
			t.Error(err)
		}
		if err := lab.Close(context.WithoutCancel(t.Context())); err != nil {
			t.Error(err)
		}
	}()
	leave, err := lab.Enter(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer leave()
	c, err := scenarios.Certify(t.Context(), target, scenarios.Options{Seed: 7}, suites...)
	if err != nil {
		t.Fatal(err)
	}
	return c.Finish(context.WithoutCancel(t.Context())), target
}

// Every request in the transcripts of a whole certification fits the contract, or names a requirement or a reading for whose sake
// it does not. This looks at what was recorded alone.
func TestRecordedRequestsFit(t *testing.T) {
	t.Parallel()
	for _, row := range protocols.Table {
		t.Run(row.Name(), func(t *testing.T) {
			t.Parallel()
			report, target := certifyPlain(t, row, suitesOf(row.Protocol)...)
			if report.Totals()[scenarios.Passed] == 0 || report.Totals()[scenarios.Broken] > 0 || len(report.Leftovers) > 0 {
				t.Fatalf("%v, left %q", report.Totals(), report.Leftovers)
			}
			r := newRecords(t, row.Protocol, target)
			for _, d := range report.Drives {
				for i := range d.Transcript.Entries {
					r.check(t, d.ID, &d.Transcript.Entries[i])
				}
			}
			if r.fit == 0 || r.meant == 0 {
				t.Errorf("%d requests fit, %d were meant not to", r.fit, r.meant)
			}
		})
	}
}

// records checks recorded requests.
type records struct {
	protocol   *scenarios.Protocol
	bases      []string
	routes     apidoc.Routes
	input      *validate.Schema
	fit, meant int
}

func newRecords(t *testing.T, p *scenarios.Protocol, target wire.Target) *records {
	t.Helper()
	set, err := validate.Embedded(p.Requests())
	if err != nil {
		t.Fatal(err)
	}
	operations, err := apidoc.Read(p.Requests(), set, nil)
	if err != nil {
		t.Fatal(err)
	}
	r := &records{protocol: p, bases: []string{target.URL, target.SecondURL}, routes: operations.Routes()}
	if p.Program != nil {
		if r.input, err = set.Component(p.Program.Request); err != nil {
			t.Fatal(err)
		}
	}
	return r
}

func (r *records) check(t *testing.T, drive string, e *wire.Entry) {
	t.Helper()
	var wrong []string
	meant := ""
	switch {
	case e.Process != nil:
		meant = e.Process.Misfit
		for _, p := range r.input.Validate([]byte(e.Process.Input)) {
			wrong = append(wrong, p.String())
		}
		if e.Process.InputBytes > int64(len(e.Process.Input)) { // only its start was kept
			wrong = nil
		}
	case e.Request != nil && e.Kind != "inbound":
		meant = e.Request.Misfit
		for _, m := range r.routes.Misfits(r.request(e.Request)) {
			wrong = append(wrong, m.String())
		}
	default:
		return
	}
	_, required := r.protocol.Ledger.Find(scenarios.RequirementID(meant))
	for _, reading := range r.protocol.Readings {
		required = required || reading.ID == meant
	}
	switch {
	case meant == "" && len(wrong) > 0:
		t.Errorf("%s, %s: %s", drive, e.Label, strings.Join(wrong, "; "))
	case meant == "":
		r.fit++
	case !required:
		t.Errorf("%s, %s: it is meant for %s, which is neither a requirement nor a reading", drive, e.Label, meant)
	default:
		r.meant++
	}
}

// request returns a recorded request as the document has it.
func (r *records) request(sent *wire.Request) apidoc.Request {
	q := apidoc.Request{Method: sent.Method, Path: sent.URL, Body: []byte(sent.Body), Header: map[string]string{}, Unsigned: true}
	for _, base := range r.bases {
		if base != "" {
			q.Path = strings.TrimPrefix(q.Path, base)
		}
	}
	for name, value := range sent.Header {
		if name == "Authorization" || name == http.CanonicalHeaderKey(r.protocol.KeyHeader) {
			q.Unsigned = false
			continue
		}
		q.Header[name] = value
	}
	return q
}

// A drive of any protocol that sends what its contract does not have, and does not say so, ends broken, and the certification with
// exit code 6. Nothing was sent, and the target is blamed for nothing.
func TestUndeclaredMisfitsBreak(t *testing.T) {
	sends := func(call wire.Call) func(context.Context, *scenarios.Conn) {
		return func(ctx context.Context, c *scenarios.Conn) { c.Do(ctx, call) }
	}
	mistakes := map[string]struct {
		drive func(context.Context, *scenarios.Conn)
		text  []string
	}{
		"openwop": {
			sends(wire.Call{Method: http.MethodPost, Path: "/v1/runs", Label: "a run",
				Body: map[string]any{"workflowId": "conformance-noop", "configurable": map[string]any{"recursionLimit": 0}}}),
			[]string{"createRun, POST /v1/runs", "/configurable/recursionLimit: must be at least 1, but is 0",
				"#/components/schemas/Configurable/"},
		},
		"openintent": {
			sends(wire.Call{Method: http.MethodPost, Path: "/api/v1/intents", Label: "an intent", Body: map[string]any{"titel": "x"}}),
			[]string{"createIntent, POST /api/v1/intents", "body: missing property title", "#/components/schemas/CreateIntentRequest/"},
		},
		"agentic-loop": {
			func(ctx context.Context, c *scenarios.Conn) {
				c.Spawn(ctx, wire.Turn{Label: "a job", Input: []byte(`{"protocol": 3, "job_id": "x", "command": "health", "config": {}, "state": {}}`)})
			},
			[]string{"Request: body /protocol: must be 2", "#/$defs/Request/"},
		},
	}
	for _, row := range protocols.Table {
		t.Run(row.Name(), func(t *testing.T) {
			mistake, there := mistakes[row.Name()]
			if !there {
				t.Fatal("no mistake is made of this protocol")
			}
			id := scenarios.RequirementID(row.Ledger.Rows[0].ID)
			drive := &scenarios.Drive[struct{}]{ID: "mistaken", Run: func(ctx context.Context, c *scenarios.Conn, _ *struct{}) {
				mistake.drive(ctx, c)
			}}
			always := scenarios.Claim{ID: "always", Pointer: "/", Look: func(d scenarios.Discovery) (wire.Value, bool) { return d.Document, true }}
			report, _ := certifyPlain(t, row, scenarios.Suite{ID: "mistakes", Protocol: row.Protocol, Scenarios: []scenarios.Scenario{{
				ID: "mistakes/one", Title: "a mistake", Claim: always, Proves: scenarios.IDs{id},
				Ask: scenarios.Ask(drive, func(struct{}, *scenarios.Judge) {}),
			}}})
			o := report.Outcomes[0]
			if o.Verdict != scenarios.Broken || report.ExitCode() != scenarios.ExitBroken || len(report.Breaches) > 0 {
				t.Errorf("%s, exit code %d, %d violations: %s", o.Verdict, report.ExitCode(), len(report.Breaches), o.Reason)
			}
			for _, part := range append(mistake.text, "drive mistaken", "was not sent") {
				if !strings.Contains(o.Reason, part) {
					t.Errorf("%q does not say %q", o.Reason, part)
				}
			}
			for _, e := range report.Drives[len(report.Drives)-1].Transcript.Entries {
				if e.Response != nil || e.Process != nil && e.Process.Exit != nil {
					t.Errorf("it was answered: %+v", e)
				}
			}
		})
	}
}
