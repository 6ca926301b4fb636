package hostile

import (
	"net/http"
	"strings"
)

// JSON that is no ordinary JSON.
var jsonCases = []hostileCase{
	jsonCase("json-nested-deep", "Answers with JSON that is nested 100,000 deep.", unproved, "nested deeper than 64 levels",
		func(string) string { return strings.Repeat(`{"a":[`, 50_000) + strings.Repeat(`]}`, 50_000) }),
	jsonCase("json-long-numbers", "Answers with numbers of a million digits.", unproved, "longer than 64 characters",
		func(honest string) string {
			return strings.Replace(honest, "{", `{"sequence":`+strings.Repeat("9", 1_000_000)+`,"cost":1e`+strings.Repeat("9", 1000)+`,`, 1)
		}),
	jsonCase("json-large-exponents", "Answers with numbers like 1e999999999.", notProved, "",
		func(honest string) string {
			return strings.ReplaceAll(honest, `"sequence":0`, `"sequence":1e999999999`)
		}).touching("1e999999999"),
	jsonCase("json-duplicate-keys", "Names every member twice, with two values.", unproved, "twice",
		func(honest string) string {
			return strings.NewReplacer(`"status":`, `"status":"failed","status":`, `"runId":`, `"runId":"r-2","\u0072unId":`, `"events":`,
				`"events":[],"events":`).Replace(honest)
		}),
	jsonCase("json-invalid-utf-8", "Answers with text that is not UTF-8.", unproved, "not valid UTF-8",
		func(honest string) string {
			return strings.NewReplacer("r-1", "r-\xff\xfe1", "e-0", "\xc3\x28").Replace(honest)
		}),
	jsonCase("json-nan", "Answers with NaN and Infinity.", notProved, "",
		func(honest string) string {
			return strings.NewReplacer(`"sequence":0`, `"sequence":NaN`, `"runId":"r-1"`, `"runId":NaN,"cost":-Infinity`).Replace(honest)
		}),
	jsonCase("json-lone-surrogates", "Answers with escapes that are half a character, and NULs.", notProved, "",
		func(honest string) string {
			return strings.NewReplacer("r-1", `r\ud800\u0000`, "e-0", `\udfff`).Replace(honest)
		}).touching("\ufffd"),
	jsonCase("json-cut-short", "Answers with JSON that ends in the middle of a string.", notProved, "",
		func(honest string) string { return honest[:len(honest)/2] }),
}

func jsonCase(id, sent string, exit []int, telling string, body func(honest string) string) hostileCase {
	return hostileCase{id: id, sent: sent, exit: exit, telling: telling, touched: inBodies, raw: func(x *exchange) bool {
		return x.answers(http.StatusOK, "", body(plausible(x.request))) == nil
	}}
}

// touching has the hostility be a text in bodies that are honest otherwise.
func (c hostileCase) touching(text string) hostileCase {
	c.touched = where(text)
	return c
}
