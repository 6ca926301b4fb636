package hostile

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
)

// Text that is meant for whoever reads the report.
var textCases = []hostileCase{
	junkCase("ansi-escapes", "Puts ANSI escapes that move the cursor, set the title and ring the bell into every string.",
		"\x1b[31m\x1b[2J\x1b]0;owned\a\u009b1A\r\n\u202etxt.exe\u200b"),
	junkCase("markdown", "Puts Markdown into every string: links, images, tables, code.",
		"[ok](javascript:alert(1)) ![](http://evil.example/x.png) | a | b |\n\n# passed\n\n```\n`` ` @team"),
	junkCase("html", "Puts HTML into every string.",
		`<script>alert(1)</script><img src=x onerror=alert(1)></td></table><!-- "' &amp;`),
	junkCase("xml", "Puts XML into every string.",
		"]]></failure><testcase name=\"fake\"/><![CDATA[<!DOCTYPE x [<!ENTITY e SYSTEM \"file:///etc/passwd\">]>&e;\u0001\ufffe"),
	{
		id: "key-in-error-bodies", sent: "Answers with errors that tell our key: plain, escaped, percent-encoded, as a member, in headers.",
		exit: notProved, touched: where("<secret:"),
		raw: func(x *exchange) bool {
			sent := strings.TrimPrefix(x.request.Header.Get("Authorization"), "Bearer ")
			status := []int{http.StatusBadRequest, http.StatusInternalServerError, http.StatusNotFound}[len(x.request.URL.Path)%3]
			header := fmt.Sprintf("WWW-Authenticate: Bearer realm=%q\r\nX-Debug: key=%s; %s\r\n", sent, sent, percent(sent))
			return x.answers(status, header, tellsKey(sent)) == nil
		},
	},
	{
		id: "key-as-id", sent: "Names every run and event by our first key, escaped as JSON.",
		exit: notProved, touched: where("<secret:"),
		raw: func(x *exchange) bool {
			sent := escaped(key)
			return x.answers(http.StatusOK, "", strings.NewReplacer("r-1", sent, "e-0", sent, "completed", sent, "run.started",
				sent).Replace(plausible(x.request))) == nil
		},
	},
}

// tellsKey has a key in the spellings that one and the same text can have.
func tellsKey(key string) string {
	return fmt.Sprintf(`{"error":"invalid_key","key":"%s","text":"no %s, \u003c%s\u003e, %s","details":{"%s":1,"%s":[{"url":"http://h/?key=%s"}]},"x%sx":null}`,
		key, escaped(key), key, percent(key), key, escaped(key+"-"), key, escaped(key))
}

// escaped spells every other character of text as JSON may.
func escaped(text string) string {
	var b strings.Builder
	for i := range len(text) {
		if i%2 == 0 {
			fmt.Fprintf(&b, `\u%04X`, text[i])
		} else {
			b.WriteByte(text[i])
		}
	}
	return b.String()
}

// percent spells every other character of text as a URL may.
func percent(text string) string {
	var b strings.Builder
	for i := range len(text) {
		if i%2 == 1 {
			fmt.Fprintf(&b, "%%%02x", text[i])
		} else {
			b.WriteByte(text[i])
		}
	}
	return b.String()
}

// junkCase puts text into every string that the host sends, but for the fixtures that it lists: without those hardly
// anything would be asked.
func junkCase(id, sent, junk string) hostileCase {
	return hostileCase{id: id, sent: sent, exit: violated, everywhere: true, touched: where(junk), raw: func(x *exchange) bool {
		body := plausible(x.request)
		if x.request.URL.Path == discoveryPath {
			body = string(x.discovery)
		}
		var v any
		if err := json.Unmarshal([]byte(body), &v); err != nil {
			return false
		}
		soiled, err := json.Marshal(soil(v, "", junk))
		return err == nil && x.answers(http.StatusOK, "", string(soiled)) == nil
	}}
}

// soil is a document with junk in every string but those of the list of fixtures.
func soil(v any, at, junk string) any {
	switch v := v.(type) {
	case string:
		if at == "fixtures" {
			return v
		}
		return v + junk
	case []any:
		for i := range v {
			v[i] = soil(v[i], at, junk)
		}
	case map[string]any:
		for name, inner := range v {
			v[name] = soil(inner, name, junk)
		}
		if at != "" {
			v["note "+junk] = junk
		}
	}
	return v
}
