package wire_test

import (
	"encoding/base64"
	"encoding/json"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/openassay/assay/scenarios/wire"
)

// overheard is an exchange with a body on each side.
func overheard(t testing.TB, address, sent, got string, asked http.Header) wire.Overheard {
	t.Helper()
	u, err := url.Parse(address)
	if err != nil {
		t.Skip(err)
	}
	if asked.Get("Content-Type") == "" {
		asked = asked.Clone()
		asked.Set("Content-Type", "application/json")
	}
	return wire.Overheard{Method: "POST", URL: u, Asked: asked, Sent: []byte(sent), Status: 200,
		Told: http.Header{"Content-Type": {"application/json"}, "Www-Authenticate": {`Bearer realm="all"`}}, Got: []byte(got)}
}

func TestNoCredentialOfOthersIsWritten(t *testing.T) {
	const secret = "s3cret-0f-s0mebody"
	const coded = "s3cret+0f+s0mebody" // in a fragment, whose signs are escaped
	none := http.Header{}
	for name, o := range map[string]wire.Overheard{
		"a bearer": overheard(t, "http://h/", "{}", "{}", http.Header{"Authorization": {"Bearer " + secret}}),
		"a basic": overheard(t, "http://h/", `"`+secret+`"`, "{}",
			http.Header{"Authorization": {"Basic " + base64.StdEncoding.EncodeToString([]byte("me:"+secret))}}),
		"a key":         overheard(t, "http://h/", "{}", `{"echo":"`+secret+`"}`, http.Header{"X-Api-Key": {secret}}),
		"a cookie":      overheard(t, "http://h/", "{}", "{}", http.Header{"Cookie": {"sid=" + secret}}),
		"a short key":   overheard(t, "http://h/", "{}", "{}", http.Header{"X-Api-Key": {"s3c"}}),
		"a query":       overheard(t, "http://h/?access_token="+secret, "{}", "{}", none),
		"a page before": overheard(t, "http://h/", "{}", "{}", http.Header{"Referer": {"http://h/login?access_token=" + secret}}),
		"a way back": overheard(t, "http://h/", "{}", "{}",
			http.Header{"Referer": {"http://h/done#access_token=" + secret + "&state=1"}}),
		"escaped in a fragment": overheard(t, "http://h/", "{}", `{"note":"`+coded+`"}`,
			http.Header{"Referer": {"http://h/done#access_token=" + url.QueryEscape(coded) + "&x=%zz"}}),
		"in the address": overheard(t, "http://me:"+secret+"@h/", "{}", "{}", none),
		"a login":        overheard(t, "http://h/", `{"user":"me","password":"`+secret+`"}`, "{}", none),
		"a form": overheard(t, "http://h/", "user=me&client_secret="+secret, "{}",
			http.Header{"Content-Type": {"application/x-www-form-urlencoded"}}),
		"a token":     overheard(t, "http://h/", "{}", `{"interrupts":[{"token":"`+secret+`","note":"`+secret+`"}]}`, none),
		"named twice": overheard(t, "http://h/", "{}", `{"token":1,"token":"`+secret+`"}`, none),
		"cut off":     overheard(t, "http://h/", "{}", `{"token":"`+secret+`","next":`, none),
		"two of them": overheard(t, "http://h/", "{}", `{"token":"`+secret+`"}`+"\n"+`{"token":"`+secret+`"}`, none),
		"a form whose names are escaped": overheard(t, "http://h/", "p%61ssword="+secret, "{}",
			http.Header{"Content-Type": {"Application/X-WWW-form-urlencoded; charset=utf-8"}}),
		"parts": overheard(t, "http://h/", "--b\r\nContent-Disposition: form-data; name=\"password\"\r\n\r\n"+secret, "{}",
			http.Header{"Content-Type": {"multipart/form-data; boundary=b"}}),
		"escaped": overheard(t, "http://h/", "{}", `{"token":"`+strings.Replace(secret, "s", `\u0073`, 1)+`"}`, none),
	} {
		var r wire.Redactor
		e := r.Entry(o, wire.DefaultLimits())
		later := r.Entry(overheard(t, "http://h/interrupts/"+secret, "{}", "{}", none), wire.DefaultLimits())
		written, err := json.Marshal(e)
		if err != nil {
			t.Fatal(err)
		}
		if text := string(written); strings.Contains(text, secret[3:]) || strings.Contains(text, coded) || strings.Contains(text, `"s3c"`) {
			t.Errorf("%s: %s", name, text)
		}
		left := slices.Contains([]string{"named twice", "cut off", "two of them", "parts"}, name)
		if left && !strings.Contains(e.Error, "not kept") {
			t.Errorf("%s: %+v %+v", name, e, e.Response)
		}
		known := !slices.Contains([]string{"a cookie", "escaped in a fragment", "a short key"}, name)
		if !left && known && !strings.Contains(later.Request.URL, "<secret:") {
			t.Errorf("%s is not known later: %s", name, later.Request.URL)
		}
		if e.Response.Header["Www-Authenticate"] != `Bearer realm="all"` {
			t.Errorf("%s: %v: what a host asks for is no credential", name, e.Response.Header)
		}
	}
}

func TestTheSameCredentialHasTheSamePlaceholder(t *testing.T) {
	var r wire.Redactor
	for i, want := range []string{"<secret:1>", "<secret:2>", "<secret:1>"} {
		key := []string{"key-of-one", "key-of-two", "key-of-one"}[i]
		e := r.Entry(overheard(t, "http://h/", "", "", http.Header{"X-Api-Key": {key}}), wire.DefaultLimits())
		if got := e.Request.Header["X-Api-Key"]; got != want {
			t.Errorf("%s is %s, want %s", key, got, want)
		}
	}
}

// Whatever a body looks like, a token that a reader finds in it is not written.
func FuzzCredentialsOfOthers(f *testing.F) {
	f.Add(`{"token":"abcdefghijkl"}`, "/a?b=c")
	f.Add(`{"a":[{"apiKey":"ABCDEFGHIJKLMNOP","b":"ABCDEFGHIJKLMNOP"}]}`, "/")
	f.Add(`{"pass\u0077ord":"aaaaaaaaaaaaaaa\u0041"}`, "/?token=%41BCDEFGHIJKLMN")
	f.Fuzz(func(t *testing.T, body, path string) {
		var r wire.Redactor
		e := r.Entry(overheard(t, "http://h"+path, "", body, http.Header{}), wire.DefaultLimits())
		if e.Response.Body == "" {
			return
		}
		var before, after any
		if json.Unmarshal([]byte(body), &before) != nil || json.Unmarshal([]byte(e.Response.Body), &after) != nil {
			return
		}
		for _, token := range tokens(before) {
			for _, kept := range tokens(after) {
				if kept == token && !strings.Contains(token, "<secret:") {
					t.Errorf("%q is written: %s", token, e.Response.Body)
				}
			}
		}
	})
}

// tokens are the values of the members named token.
func tokens(doc any) (all []string) {
	switch v := doc.(type) {
	case map[string]any:
		for name, member := range v {
			if text, is := member.(string); is && (name == "token" || name == "password") && len(text) >= 12 {
				all = append(all, text)
			}
			all = append(all, tokens(member)...)
		}
	case []any:
		for _, item := range v {
			all = append(all, tokens(item)...)
		}
	}
	return all
}

// A stream is kept as far as it can be looked through.
func TestAStreamIsKeptUpToWhatCannotBeLookedThrough(t *testing.T) {
	var r wire.Redactor
	o := overheard(t, "http://h/events", "", "", http.Header{})
	o.Stream, o.Chunks = true, []wire.Chunk{{Text: "data: {\"token\":\"aaaaaaaaaaaaaa\"}\n\n"},
		{Text: "data: {\"token\":\"bbbbbbbbbbbbbb\",\"token\":\"cccccccccccccc\"}\n\n"}, {Text: "data: {}\n\n"}}
	e := r.Entry(o, wire.DefaultLimits())
	const first = "data: {\"token\":\"<secret:1>\"}\n\n"
	if len(e.Chunks) != 1 || e.Chunks[0].Text != first || !strings.Contains(e.Error, "the stream from here on") {
		t.Errorf("%+v", e)
	}
}
