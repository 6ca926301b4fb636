package scenarios_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/check"
	"github.com/openassay/assay/scenarios/wire"
)

// Whatever texts and lists a target sends, the report stays small and keeps no secret. The verdict counts what is left
// out.
func TestAnOutcomeStaysSmall(t *testing.T) {
	const key = "a-key-that-nobody-may-read"
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Date", time.Now().UTC().AddDate(-10, 0, 0).Format(http.TimeFormat))
		fmt.Fprint(w, `{"counts":true,"n":1}`)
	}))
	defer server.Close()
	// The key is at the place of the cut, with the cut at each of its characters once.
	long := strings.Repeat("x", 1<<20)
	s := scenarios.Scenario{ID: "toy/s/long", Title: "long", Proves: []scenarios.RequirementID{"TOY-1"}, Claim: counts,
		Ask: scenarios.Advertised(func(d scenarios.Discovery, j *scenarios.Judge) {
			for i := range 5000 {
				j.Check("TOY-1", d.Document.Key("n")).To(check.Equal(1), "%s%s, number %d", strings.Repeat("y", 1990+i%20), key, i)
				j.Find("TOY-3", "%s", long[:31990+i%20]+key+long[:i%7])
			}
			j.Check("TOY-1", d.Document.Key("n")).To(check.Equal(2), "%s", long)
		})}
	c, err := scenarios.Certify(t.Context(), wire.Target{URL: server.URL, Key: key}, scenarios.Options{}, suite(s))
	if err != nil {
		t.Fatal(err)
	}
	r := c.Finish(t.Context())
	o := r.Outcomes[0]
	if o.Verdict != scenarios.Failed || len(o.Violations()) != 1 {
		t.Fatalf("%s, with %d violations", o.Verdict, len(o.Violations()))
	}
	if len(o.Checks) > 600 || len(o.Findings) > 300 {
		t.Errorf("it keeps %d checks and %d findings", len(o.Checks), len(o.Findings))
	}
	texts := []string{o.Reason, o.Failure.Expected}
	for _, c := range o.Checks {
		texts = append(texts, c.Expected)
	}
	for _, f := range o.Findings {
		texts = append(texts, f.Text)
	}
	for _, text := range texts {
		if len(text) > 2100 || strings.Contains(text, key[:8]) {
			t.Fatalf("it keeps %d bytes: …%s", len(text), text[max(0, len(text)-60):])
		}
	}
	if len(r.DiscoveryFindings) != 1 || !strings.Contains(r.DiscoveryFindings[0].Text, "behind ours") {
		t.Errorf("of the clock is said %v", r.DiscoveryFindings)
	}
}

// A reply that is too large or ambiguous is not a discovery document, but the target can be reached.
func TestADocumentThatCannotBeReadIsNone(t *testing.T) {
	for name, body := range map[string]string{
		"a member twice": `{"counts":false,"counts":true}`, "not UTF-8": "{\"counts\":\"\xff\"}", "too deep": strings.Repeat("[", 100),
		"too large": `{"counts":"` + strings.Repeat("x", 5<<20) + `"}`, "too much": "[" + strings.Repeat("[],", 500_000) + "[]]",
	} {
		t.Run(name, func(t *testing.T) {
			_, err := scenarios.Certify(t.Context(), wire.Target{URL: toyHost(t, body)}, scenarios.Options{},
				suite(one("s", counts, scenarios.Ask(countDrive("d"), is(3, "TOY-1")), "TOY-1")))
			if err == nil || !strings.Contains(err.Error(), scenarios.ErrNoDiscovery.Error()) {
				t.Fatalf("got %v", err)
			}
		})
	}
}
