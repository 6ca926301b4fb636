// The package beside this test is generated from ../golang/testdata/harbor.json. Its server serves all of its routes, and
// its client calls them, over a socket.
package harbor_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime/multipart"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/google/go-cmp/cmp"

	"github.com/openassay/assay/tools/specgen/internal/harbor"
)

// pier implements the generated server.
type pier struct {
	ship    harbor.Ship
	events  []harbor.Event
	breakAt int // how many events a connection sends before it breaks; 0: all
	since   []string
	params  harbor.FindCargoParams
	spoils  bool // whether bodies break before their end
}

func (p *pier) GetShip(_ context.Context, r harbor.GetShipRequestObject) (harbor.GetShipResponseObject, error) {
	switch r.ID {
	case "forgotten":
		return nil, nil
	case "none":
		return harbor.GetShip4XXApplicationProblemJSONResponse{StatusCode: 404, Body: harbor.Problem{Title: "none"}}, nil
	case "odd":
		return harbor.GetShipdefaultTextResponse{StatusCode: 500, Body: "odd"}, nil
	}
	ship := p.ship
	ship.ID = r.ID
	return harbor.GetShip200JSONResponse{Headers: harbor.GetShip200ResponseHeaders{XTags: []string{"a", "b"}, XCount: 2}, Body: ship}, nil
}

func (p *pier) SinkShip(context.Context, harbor.SinkShipRequestObject) (harbor.SinkShipResponseObject, error) {
	return harbor.SinkShip204Response{}, nil
}

func (p *pier) LaunchShip(_ context.Context, r harbor.LaunchShipRequestObject) (harbor.LaunchShipResponseObject, error) {
	return harbor.LaunchShip200TextResponse("launch " + r.ID), nil
}

func (p *pier) Flagship(context.Context, harbor.FlagshipRequestObject) (harbor.FlagshipResponseObject, error) {
	return harbor.Flagship200TextResponse("flagship"), nil
}

func (p *pier) ShipFolder(_ context.Context, r harbor.ShipFolderRequestObject) (harbor.ShipFolderResponseObject, error) {
	return harbor.ShipFolder200TextResponse("folder " + r.ID), nil
}

func (p *pier) ShipLog(_ context.Context, r harbor.ShipLogRequestObject) (harbor.ShipLogResponseObject, error) {
	return harbor.ShipLog200TextResponse("log " + r.ID + " " + r.Format), nil
}

func (p *pier) Crew(_ context.Context, r harbor.CrewRequestObject) (harbor.CrewResponseObject, error) {
	return harbor.Crew200TextResponse("crew " + r.ID + " " + r.UserID + " " + r.UserID2), nil
}

func (p *pier) LoadCargo(_ context.Context, r harbor.LoadCargoRequestObject) (harbor.LoadCargoResponseObject, error) {
	switch {
	case r.JSONBody != nil:
		return harbor.LoadCargo200JSONResponse(*r.JSONBody), nil
	case r.FormBody != nil:
		return harbor.LoadCargo200JSONResponse(*r.FormBody), nil
	case r.TextBody != nil:
		return harbor.LoadCargo200TextResponse("text " + *r.TextBody), nil
	case r.ApplicationOctetStreamBody != nil:
		body := r.ApplicationOctetStreamBody
		if p.spoils {
			body = io.MultiReader(body, iotest.ErrReader(errors.New("a rope broke")))
		}
		return harbor.LoadCargo200ApplicationOctetStreamResponse{Body: body}, nil
	case r.ImagePngBody != nil:
		return harbor.LoadCargo200AnyResponse{ContentType: "image/png", Body: r.ImagePngBody}, nil
	case r.MultipartBody != nil:
		part, err := r.MultipartBody.NextPart()
		if err != nil {
			return nil, err
		}
		return harbor.LoadCargo200TextResponse("part " + part.FormName()), nil
	}
	return harbor.LoadCargo200AnyResponse{ContentType: r.ContentType, Body: r.AnyBody}, nil
}

func (p *pier) FindCargo(_ context.Context, r harbor.FindCargoRequestObject) (harbor.FindCargoResponseObject, error) {
	p.params = r.Params
	return harbor.FindCargo200JSONResponse{}, nil
}

func (p *pier) Watch(_ context.Context, r harbor.WatchRequestObject) (harbor.WatchResponseObject, error) {
	from := 0
	if r.Params.LastEventID != nil {
		p.since = append(p.since, *r.Params.LastEventID)
		if _, err := fmt.Sscan(*r.Params.LastEventID, &from); err != nil {
			return nil, err
		}
	}
	return harbor.Watch200TextEventStreamResponse{Stream: func(w *harbor.EventWriter[harbor.Event]) error {
		for i, e := range p.events[from:] {
			if p.breakAt > 0 && i == p.breakAt {
				return errors.New("the wind turned")
			}
			if err := w.Send(harbor.StreamEvent[harbor.Event]{ID: fmt.Sprint(from + i + 1), Retry: 1e6, Data: e}); err != nil {
				return err
			}
		}
		return nil
	}}, nil
}

func (p *pier) Thing(_ context.Context, r harbor.ThingRequestObject) (harbor.ThingResponseObject, error) {
	return harbor.Thing200JSONResponse{Body: []harbor.Thing{*r.Body.Thing, *r.Params.Thing}, Headers: harbor.Thing200ResponseHeaders{
		Thing: new(harbor.ThingThingThing)}}, nil
}

func serve(t *testing.T, p *pier) (*harbor.ClientWithResponses, string) {
	t.Helper()
	server := httptest.NewServer(harbor.Handler(p))
	t.Cleanup(server.Close)
	client, err := harbor.NewClientWithResponses(server.URL)
	if err != nil {
		t.Fatal(err)
	}
	return client, server.URL
}

// A body that breaks when its header is out must not reach the client as a whole one.
func TestABodyThatBreaksIsCut(t *testing.T) {
	client, _ := serve(t, &pier{spoils: true})
	body := strings.NewReader(strings.Repeat("x", 1<<16))
	reply, err := client.LoadCargoWithBodyWithResponse(t.Context(), "application/octet-stream", body)
	if err == nil {
		t.Errorf("got %d bytes and no error", len(reply.Body))
	}
}

func TestRoutes(t *testing.T) {
	_, url := serve(t, &pier{})
	for _, c := range []struct{ method, path, want string }{
		{"GET", "/ships/flagship", "flagship"},
		{"POST", "/ships/a:launch", "launch a"},
		{"POST", "/ships/a:b:launch", "launch a:b"},
		{"POST", "/ships/a%3Alaunch", "launch a"},
		{"GET", "/ships/a/", "folder a"},
		{"GET", "/ships/flagship/", "folder flagship"},
		{"GET", "/ships/a%2Fb/", "folder a/b"},
		{"GET", "/ships/a/log.txt", "log a txt"},
		{"GET", "/ships/a/log.tar.gz", "log a tar.gz"},
		{"GET", "/ships/a%2F%C3%BC/crew/b/c%20d", "crew a/ü b c d"},
		{"GET", "/ships/%2E%2E/", "folder .."},
		{"GET", "/ships/a/crew/b", "404"},
		{"GET", "/ships//", "404"},
		{"GET", "/ships", "404"},
		{"GET", "/ships/a:launch", "200"}, // an id may have a colon
		{"PUT", "/ships/a", "405 DELETE, GET"},
		{"DELETE", "/ships/flagship", "204"}, // the literal serves GET only
		{"DELETE", "/ships/a", "204"},
		{"HEAD", "/ships/a", "200"},
	} {
		r, err := http.NewRequestWithContext(t.Context(), c.method, url+c.path, nil)
		if err != nil {
			t.Fatal(err)
		}
		reply, err := http.DefaultClient.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		body, err := io.ReadAll(reply.Body)
		_ = reply.Body.Close()
		got := string(body)
		if c.want[0] >= '0' && c.want[0] <= '9' {
			got = strings.TrimSpace(fmt.Sprint(reply.StatusCode, " ", reply.Header.Get("Allow")))
		}
		if got != c.want || err != nil {
			t.Errorf("%s %s: got %q, want %q", c.method, c.path, got, c.want)
		}
	}
}

func TestClientEscapesWhatStandsInPaths(t *testing.T) {
	client, _ := serve(t, &pier{})
	for _, id := range []string{"a", "a/b", "a:launch", "..", ".", "%2F", "a?b#c", "ü 日本", "+", "flagship:launch"} {
		reply, err := client.LaunchShipWithResponse(t.Context(), id)
		if err != nil || reply.Text200 == nil || *reply.Text200 != "launch "+id {
			t.Errorf("launch %q: %v, %v", id, reply, err)
		}
		crew, err := client.CrewWithResponse(t.Context(), id, id, id)
		if want := "crew " + id + " " + id + " " + id; err != nil || crew.Text200 == nil || *crew.Text200 != want {
			t.Errorf("crew %q: %v, %v", id, crew, err)
		}
	}
	if _, err := client.LaunchShipWithResponse(t.Context(), ""); !errors.As(err, new(*harbor.RequiredParamError)) {
		t.Errorf("an empty id: %v", err)
	}
}

func TestOptionalNullAndEmptyAreThree(t *testing.T) {
	for _, ship := range []string{
		`{"id":"s","crew":[]}`,
		`{"id":"s","crew":[],"captain":null}`,
		`{"id":"s","crew":["a"],"captain":"","masts":0,"$id":"","userId":"1","userID":"2","user_id":"3"}`,
		`{"id":"s","crew":[],"ballast":999999999999999999999999999999,"more":[1.0,null,{"x":12345678901234567890}],"ID":"no id"}`,
	} {
		var s harbor.Ship
		if err := harbor.Decode([]byte(ship), &s); err != nil {
			t.Fatal(err)
		}
		client, _ := serve(t, &pier{ship: s})
		reply, err := client.GetShipWithResponse(t.Context(), "s")
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(members(t, ship), members(t, string(reply.Body))); diff != "" {
			t.Errorf("%s (-sent +came):\n%s", ship, diff)
		}
		again, err := json.Marshal(reply.JSON200)
		if diff := cmp.Diff(members(t, ship), members(t, string(again))); diff != "" || err != nil {
			t.Errorf("%s, %v (-sent +decoded):\n%s", ship, err, diff)
		}
		if h := reply.HTTPResponse.Header; h.Get("X-Tags") != "a,b" || h.Get("X-Count") != "2" {
			t.Errorf("headers: %v", h)
		}
	}
}

// members returns the members of an object as they were written.
func members(t *testing.T, object string) map[string]string {
	t.Helper()
	var raw map[string]json.RawMessage
	if err := json.Unmarshal([]byte(object), &raw); err != nil {
		t.Fatalf("%s: %v", object, err)
	}
	out := map[string]string{}
	for k, v := range raw {
		out[k] = string(v)
	}
	return out
}

func TestRepliesByStatus(t *testing.T) {
	client, _ := serve(t, &pier{})
	none, err := client.GetShipWithResponse(t.Context(), "none")
	if err != nil || none.ApplicationProblemJSON4XX == nil || none.ApplicationProblemJSON4XX.Title != "none" {
		t.Errorf("404: %+v, %v", none, err)
	}
	odd, err := client.GetShipWithResponse(t.Context(), "odd")
	if err != nil || odd.TextDefault == nil || *odd.TextDefault != "odd" || odd.StatusCode() != 500 {
		t.Errorf("500: %+v, %v", odd, err)
	}
	if gone, err := client.SinkShipWithResponse(t.Context(), "a"); err != nil || gone.StatusCode() != 204 || len(gone.Body) > 0 {
		t.Errorf("204: %+v, %v", gone, err)
	}
	if forgotten, err := client.GetShipWithResponse(t.Context(), "forgotten"); err != nil || forgotten.StatusCode() != 500 {
		t.Errorf("an operation that returned nothing: %+v, %v", forgotten, err)
	}
}

func TestMediaTypes(t *testing.T) {
	client, url := serve(t, &pier{})
	label := "a&b=c"
	cargo := harbor.Cargo{Count: 3, Label: &label, Marks: []string{"x y", "z"}}
	for name, call := range map[string]func() (*harbor.LoadCargoHTTPResponse, error){
		"json": func() (*harbor.LoadCargoHTTPResponse, error) { return client.LoadCargoWithResponse(t.Context(), cargo) },
		"form": func() (*harbor.LoadCargoHTTPResponse, error) {
			return client.LoadCargoWithFormBodyWithResponse(t.Context(), cargo)
		},
	} {
		if reply, err := call(); err != nil || reply.JSON200 == nil || !cmp.Equal(*reply.JSON200, cargo) {
			t.Errorf("%s: %+v, %v", name, reply, err)
		}
	}
	text, err := client.LoadCargoWithTextBodyWithResponse(t.Context(), "hello")
	if err != nil || text.Text200 == nil || *text.Text200 != "text hello" {
		t.Errorf("text: %+v, %v", text, err)
	}
	var form strings.Builder
	parts := multipart.NewWriter(&form)
	if err := errors.Join(parts.WriteField("mark", "1"), parts.Close()); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ media, body, wantType, want string }{
		{"application/octet-stream", "\x00\xff", "application/octet-stream", "\x00\xff"},
		{"image/png", "png", "image/png", "png"},
		{"video/x-odd", "odd", "video/x-odd", "odd"},
		{parts.FormDataContentType(), form.String(), "text/plain", "part mark"},
		{"application/json; charset=utf-8", `{"count":6e1}`, "application/json", "{\"count\":60}\n"},
	} {
		reply, err := client.LoadCargoWithBodyWithResponse(t.Context(), c.media, strings.NewReader(c.body))
		if err != nil || string(reply.Body) != c.want || reply.HTTPResponse.Header.Get("Content-Type") != c.wantType {
			t.Errorf("%s: %+v, %v", c.media, reply, err)
		}
	}
	for body, want := range map[string]string{
		`{"count":1.5}`:                  "body: /count: want an integer, got 1.5",
		`{"count":"1"}`:                  `body: /count: want an integer, got "1"`,
		`{"count":99999999999999999999}`: "body: /count: want an integer of 64 bits, got 99999999999999999999",
		`{"count":1e999999999}`:          "body: /count: want an integer of a size that can be held, got 1e999999999",
		`{"count":1,"marks":["",5]}`:     "body: /marks/1: want a string, got 5",
		`[1]`:                            "body: the whole value: want an object, got [1]",
		``:                               "the body is missing: send one",
	} {
		reply, err := http.Post(url+"/cargo", "application/json", strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		got, err := io.ReadAll(reply.Body)
		_ = reply.Body.Close()
		if strings.TrimSpace(string(got)) != want || err != nil || reply.StatusCode != 400 {
			t.Errorf("%s: got %d %s", body, reply.StatusCode, got)
		}
	}
}

func TestParameters(t *testing.T) {
	p := &pier{}
	client, base := serve(t, p)
	name, low, session, mode := "a b", int64(1), "s;1", harbor.FindCargoXModeFast
	for _, sent := range []harbor.FindCargoParams{
		{Limit: 5},
		{Limit: 0, Tags: []string{"a", "b c"}, Ids: []int64{1, 2}, XMode: &mode, Shape: map[string]float64{"w": 1.5},
			Filter: &harbor.Filter{Name: &name, Size: &harbor.FilterSize{Min: &low}, Any: []string{"x", "y"}}},
	} {
		if reply, err := client.FindCargoWithResponse(t.Context(), &sent); err != nil || reply.StatusCode() != 200 {
			t.Errorf("%+v: %s, %v", sent, reply.Body, err)
		}
		if diff := cmp.Diff(sent, p.params); diff != "" {
			t.Errorf("parameters (-sent +came):\n%s", diff)
		}
	}
	if _, err := client.FindCargoWithResponse(t.Context(), &harbor.FindCargoParams{Session: &session}); !errors.As(err,
		new(*harbor.InvalidParamFormatError)) {
		t.Errorf("a cookie that would be sent in part: %v", err)
	}
	session = "s 1,2"
	if _, err := client.FindCargoWithResponse(t.Context(), &harbor.FindCargoParams{Session: &session}); err != nil ||
		p.params.Session == nil || *p.params.Session != session {
		t.Errorf("a cookie: %v, %v", p.params.Session, err)
	}
	for query, want := range map[string]string{
		"":                          "parameter limit is missing: send it",
		"limit=":                    `parameter limit: the whole value: want an integer, got ""`,
		"limit=x":                   `parameter limit: the whole value: want an integer, got "x"`,
		"limit=1.5":                 "parameter limit: the whole value: want an integer, got 1.5",
		"limit=1&limit=2":           "parameter limit was sent 2 times: send it once",
		"limit=1&ids=1&ids=x":       `parameter ids: /1: want an integer, got "x"`,
		"limit=1&shape=x":           "parameter shape: the whole value: want JSON, got x",
		"limit=1&filter[size][min]": `parameter filter: /size/min: want an integer, got ""`,
	} {
		reply, err := http.Get(base + "/cargo?" + query)
		if err != nil {
			t.Fatal(err)
		}
		got, err := io.ReadAll(reply.Body)
		_ = reply.Body.Close()
		if strings.TrimSpace(string(got)) != want || err != nil || reply.StatusCode != 400 {
			t.Errorf("%s: got %d %s", query, reply.StatusCode, got)
		}
	}
	if reply, err := http.Get(base + "/cargo?" + url.Values{"limit": {"6e1"}, "ids": {"60000.0"}}.Encode()); err != nil ||
		reply.StatusCode != 200 ||
		p.params.Limit != 60 || p.params.Ids[0] != 60000 {
		t.Errorf("integers in other spellings: %v, %v, %+v", reply, err, p.params)
	}
}

func TestOneNameForAllKindsOfComponents(t *testing.T) {
	client, _ := serve(t, &pier{})
	one, other := "1", "2"
	reply, err := client.ThingWithResponse(t.Context(), &harbor.ThingParams{Thing: &harbor.Thing{Thing: &one}},
		&harbor.ThingBody{Thing: &harbor.Thing{Thing: &other}})
	want := []harbor.Thing{{Thing: &other}, {Thing: &one}}
	if err != nil || !cmp.Equal(want, reply.JSON200) || reply.HTTPResponse.Header.Get("Thing") != "Thing" {
		t.Errorf("%+v, %v", reply, err)
	}
}

func TestStream(t *testing.T) {
	unknown := harbor.EventUnknown(`{"kind":"sunk","at":1.0}`)
	events := []harbor.Event{harbor.Docked{Berth: 1, Kind: "docked"}, harbor.Left{Kind: "left"}, unknown, harbor.Left{Kind: "left"}}
	read := func(p *pier, o harbor.StreamOptions) (got []harbor.Event, ids []string, err error) {
		client, _ := serve(t, p)
		for e, err := range client.Client.WatchSeq(t.Context(), nil, o) {
			if err != nil {
				return got, ids, err
			}
			got, ids = append(got, e.Data), append(ids, e.ID)
		}
		return got, ids, nil
	}
	got, ids, err := read(&pier{events: events}, harbor.StreamOptions{})
	if diff := cmp.Diff(events, got); diff != "" || err != nil || !slices.Equal(ids, []string{"1", "2", "3", "4"}) {
		t.Errorf("whole stream: %v %v\n%s", ids, err, diff)
	}
	if got, _, err := read(&pier{events: events}, harbor.StreamOptions{LastEventID: "3"}); err != nil || len(got) != 1 {
		t.Errorf("from the third event on: %v, %v", got, err)
	}
	broken := &pier{events: events, breakAt: 1}
	if got, _, err := read(broken, harbor.StreamOptions{Reconnect: 1}); err != nil || !cmp.Equal(events, got) ||
		!slices.Equal(broken.since, []string{"1", "2", "3"}) {
		t.Errorf("a stream that breaks: %v, %v, asked since %v", got, err, broken.since)
	}
	if got, _, err := read(&pier{events: events, breakAt: 2}, harbor.StreamOptions{}); len(got) != 2 || !errors.As(err,
		new(*harbor.StreamError)) {
		t.Errorf("a stream that breaks, without reconnecting: %v, %v", got, err)
	}
	if _, _, err := read(&pier{events: events}, harbor.StreamOptions{MaxEvent: 20}); err == nil ||
		!strings.Contains(err.Error(), "raise MaxEvent") {
		t.Errorf("an event over the cap: %v", err)
	}
}
