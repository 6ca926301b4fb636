package support

import (
	"encoding/json"
	"errors"
	"net/http"
	"net/url"
	"reflect"
	"testing"
)

type point struct {
	X    int64    `json:"x,omitzero"`
	Name string   `json:"name,omitzero"`
	Tags []string `json:"tags,omitzero"`
}

var pointShape = shape{kinds: kindObject, members: map[string]*shape{"x": {kinds: kindNumber}, "name": {kinds: kindString},
	"tags": {kinds: kindArray, items: &shape{kinds: kindString}}}}

var listShape = shape{kinds: kindArray, items: &shape{kinds: kindString}}

// What a client writes in any style a server reads back.
func TestParametersInAllStyles(t *testing.T) {
	object, list, text, number := point{X: -7, Name: "a b"}, []string{"a", "b c", "ü"}, "x/y?&=", int64(5)
	whole := point{X: 1, Name: "n", Tags: []string{"p", "q"}}
	for _, c := range []struct {
		p     parameter
		value any
	}{
		{parameter{in: "query", style: "form", explode: true, shape: listShape}, list},
		{parameter{in: "query", style: "form", shape: listShape}, list},
		{parameter{in: "query", style: "spaceDelimited", shape: listShape}, []string{"a", "b"}},
		{parameter{in: "query", style: "pipeDelimited", shape: listShape}, list},
		{parameter{in: "query", style: "deepObject", explode: true, shape: pointShape}, whole},
		{parameter{in: "query", style: "form", explode: true, shape: pointShape}, whole},
		{parameter{in: "query", style: "form", shape: pointShape}, object},
		{parameter{in: "query", style: "json", shape: pointShape}, whole},
		{parameter{in: "query", style: "form", shape: shape{kinds: kindString}}, text},
		{parameter{in: "query", style: "form", shape: shape{kinds: kindNumber}}, number},
		{parameter{in: "path", style: "simple", shape: listShape}, list},
		{parameter{in: "path", style: "simple", shape: pointShape}, object},
		{parameter{in: "path", style: "simple", explode: true, shape: pointShape}, object},
		{parameter{in: "path", style: "label", shape: listShape}, list},
		{parameter{in: "path", style: "label", explode: true, shape: listShape}, list},
		{parameter{in: "path", style: "label", explode: true, shape: pointShape}, object},
		{parameter{in: "path", style: "matrix", shape: listShape}, list},
		{parameter{in: "path", style: "matrix", explode: true, shape: listShape}, list},
		{parameter{in: "path", style: "matrix", shape: pointShape}, object},
		{parameter{in: "path", style: "matrix", explode: true, shape: pointShape}, object},
		{parameter{in: "path", style: "simple", shape: shape{kinds: kindString}}, text},
		{parameter{in: "header", style: "simple", shape: listShape}, []string{"a", "b c"}},
		{parameter{in: "header", style: "simple", explode: true, shape: pointShape}, object},
		{parameter{in: "header", style: "simple", shape: shape{kinds: kindString}}, "it is, so"},
		{parameter{in: "cookie", style: "form", shape: listShape}, []string{"a", "b"}},
		{parameter{in: "cookie", style: "form", shape: shape{kinds: kindNumber}}, number},
	} {
		c.p.name = "p"
		made := newCall("GET").literal("/x/").set(c.p, c.value, true)
		r, err := made.request(t.Context(), "http://localhost")
		if err != nil {
			t.Errorf("%+v: %v", c.p, err)
			continue
		}
		got := reflect.New(reflect.TypeOf(c.value))
		var readErr error
		m := NewRouter()
		serve := func(_ http.ResponseWriter, r *http.Request) { _, readErr = c.p.read(r, r.URL.Query(), got.Interface()) }
		m.HandleFunc("GET /x/{p}", serve)
		m.HandleFunc("GET /x/", serve)
		m.ServeHTTP(nil, r)
		if readErr != nil || !reflect.DeepEqual(got.Elem().Interface(), c.value) {
			t.Errorf("%s %s explode=%v: sent %+v as %s %s, got %+v, %v", c.p.in, c.p.style, c.p.explode, c.value, r.URL, r.Header,
				got.Elem().Interface(), readErr)
		}
	}
}

func TestParametersThatAreRefused(t *testing.T) {
	header := parameter{name: "h", in: "header", style: "simple", shape: shape{kinds: kindString}}
	for _, made := range []*call{
		newCall("GET").set(header, "a\r\nX: b", true),
		newCall("GET").set(parameter{name: "c", in: "cookie", style: "form", shape: shape{kinds: kindString}}, "a;b", true),
		newCall("GET").set(parameter{name: "p", in: "path", style: "simple", shape: shape{kinds: kindString}}, "", true),
	} {
		if _, err := made.request(t.Context(), "http://localhost"); err == nil {
			t.Error("sent")
		}
	}
	required := parameter{name: "q", in: "query", style: "form", required: true, shape: shape{kinds: kindNumber}}
	var n int64
	r := &http.Request{URL: &url.URL{}, Header: http.Header{}}
	if _, err := required.read(r, nil, &n); !errors.As(err, new(*RequiredParamError)) {
		t.Error(err)
	}
	if _, err := required.read(r, url.Values{"q": {"1", "2"}}, &n); !errors.As(err, new(*TooManyValuesForParamError)) {
		t.Error(err)
	}
}

// Whatever stands in a query, reading it gives valid JSON or an error, and never a panic.
func FuzzQuery(f *testing.F) {
	f.Add("p[a][b]=1&p[c][]=2&p[c][]=3&p=x")
	f.Add("p=1,2|3 4&x=5&tags=a&tags=b&p[tags][10]=z&p[tags][2]=y")
	f.Fuzz(func(t *testing.T, text string) {
		query, err := url.ParseQuery(text)
		if err != nil {
			return
		}
		for _, style := range []string{"form", "spaceDelimited", "pipeDelimited", "deepObject", "json"} {
			for _, s := range []shape{{kinds: kindString}, listShape, pointShape, {kinds: kindObject | kindArray | kindNumber, rest: &listShape}} {
				for _, explode := range []bool{true, false} {
					p := parameter{name: "p", in: "query", style: style, explode: explode, shape: s}
					if raw, found, err := p.raw(&http.Request{}, query); err == nil && found && !json.Valid(raw) {
						t.Fatalf("%+v of %q: %q is no JSON", p, text, raw)
					}
				}
			}
		}
	})
}
