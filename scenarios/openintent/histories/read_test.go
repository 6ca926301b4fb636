package histories_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/openintent/histories"
	"github.com/openassay/assay/scenarios/wire/wiretest"
)

type sent = wiretest.Sent

func TestReadQuestions(t *testing.T) {
	t.Parallel()
	const choices = `"choices":[{"value":"a","label":"A"},{"value":"b","label":"B"}]`
	record := func(more string) string { return `{"id":"s","response_type":"choice",` + choices + more + `}` }
	shows := func(version int, status, note, more string) string {
		return fmt.Sprintf(`{"id":"int-1","version":%d,"status":%q,"state":{"note":%q,"_suspension":%s}}`, version, status, note,
			record(more))
	}
	const waits, active = "suspended_awaiting_input", "active"
	config := sent{Request: "GET /server/config", Status: 200, Reply: `{"suspension":{"default_retry_policy":null}}`}
	at := func(version, path, body string, status int, reply string) sent {
		return sent{Request: "POST /intents/int-1/" + path, Header: map[string]string{"If-Match": version}, Body: body, Status: status,
			Reply: reply}
	}
	written := at("1", "state", `{"patches":[{"op":"set","path":"/_suspension","value":`+record("")+`}]}`, 200,
		`{"version":2,"status":"active"}`)
	suspended := at("2", "status", `{"status":"suspended_awaiting_input"}`, 200, shows(3, waits, "", ""))
	timed := at("1", "state", `{"state":{"_suspension":`+record(`,"timeout_seconds":9`)+`}}`, 200, `{"version":2,"status":"active"}`)
	answer := func(value string, status int, reply string) sent {
		return sent{Request: "POST /intents/int-1/suspend/respond", Body: `{"suspension_id":"s","value":"` + value + `"}`, Status: status,
			Reply: reply}
	}
	took := answer("a", 200, `{"intent_id":"int-1","suspension_id":"s","resolution":"responded","value":"a","responded_by":"me",
		"responded_at":"t",
		"choice_label":"A"}`)
	answered := func(value string) string {
		return `,"response":"` + value + `","resolution":"responded","responded_at":"t"`
	}
	read := func(reply string) sent { return sent{Request: "GET /intents/int-1", Status: 200, Reply: reply} }
	note := at("3", "state", `{"patches":[{"op":"set","path":"/note","value":"n"}]}`, 200, `{"version":4}`)
	for name, c := range map[string]struct {
		all   []sent
		steps int
		want  scenarios.IDs
	}{
		"answered": {[]sent{config, written, suspended, took, read(shows(4, active, "", answered("a")))}, 2, nil},
		"another answer": {[]sent{config, written, suspended, took, read(shows(4, active, "", answered("b")))}, 2,
			scenarios.IDs{"OIP-0025-A13"}},
		"answered twice":        {[]sent{config, written, suspended, took, took}, 2, scenarios.IDs{"OIP-0026-K4"}},
		"a choice that is none": {[]sent{config, written, suspended, answer("c", 200, `{}`)}, 1, scenarios.IDs{"OIP-0025-A7"}},
		"choices that it has not": {[]sent{config, written, suspended, answer("c", 422, `{"valid_choices":["a"]}`)}, 1,
			scenarios.IDs{"OIP-0025-A8"}},
		"a late read":              {[]sent{config, written, suspended, took, read(shows(3, waits, "", ""))}, 1, nil},
		"a note":                   {[]sent{config, written, suspended, note, read(shows(4, waits, "n", ""))}, 2, nil},
		"another note":             {[]sent{config, written, suspended, note, read(shows(4, waits, "m", ""))}, 2, scenarios.IDs{"OIP-0001-4"}},
		"a write at another time":  {[]sent{config, written, suspended, note, note}, 2, scenarios.IDs{"OIP-0001-2"}},
		"a lost answer":            {[]sent{config, written, suspended, answer("a", 0, ""), read(shows(4, active, "", answered("a")))}, 2, nil},
		"ends by itself":           {[]sent{config, timed, suspended, read(shows(4, active, "", ""))}, 0, nil},
		"a policy of the platform": {[]sent{written, suspended, read(shows(4, active, "", ""))}, 0, nil},
		"a form of its own": {[]sent{config, written, suspended, at("3", "claim", `{}`, 200, `{}`),
			read(shows(9, active, "", ""))}, 0, nil},
		"in a portfolio": {[]sent{config, written, suspended, {Request: "POST /portfolios/p/members", Body: `{"intent":"int-1"}`, Status: 200,
			Reply: "{}"}, took}, 0, nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for i := range c.all {
				c.all[i].At = 10 * i
			}
			told := histories.Read(scenarios.Discovery{}, wiretest.Record("d", c.all...))
			switch {
			case len(told) == 0 && c.steps > 0:
				t.Error("nothing is told")
			case len(told) == 0:
			case len(told[0].Exchanges) != c.steps || !slices.Equal(told[0].Violates, c.want):
				t.Errorf("%d steps are judged and violate %v\n%s", len(told[0].Exchanges), told[0].Violates, told[0].Picture)
			}
		})
	}
}
