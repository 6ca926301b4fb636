package observed

import (
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/openassay/assay/scenarios/wire"
)

// har is an archive of HTTP (HAR 1.2), as browsers and proxies write it, as far as it is read.
type har struct {
	Log struct {
		Entries []harEntry `json:"entries"`
	} `json:"log"`
}

type harEntry struct {
	Started time.Time `json:"startedDateTime"`
	Took    float64   `json:"time"` // ms
	Request struct {
		Method  string      `json:"method"`
		URL     string      `json:"url"`
		Headers []harHeader `json:"headers"`
		Sent    *struct {
			Text string `json:"text"`
		} `json:"postData"`
	} `json:"request"`
	Response struct {
		Status  int         `json:"status"`
		Headers []harHeader `json:"headers"`
		Content struct {
			Size     int64  `json:"size"`
			Text     string `json:"text"`
			Encoding string `json:"encoding"`
		} `json:"content"`
	} `json:"response"`
}

type harHeader struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}

// archive adds the exchanges of an archive, without their credentials. Browsers leave those out, and then nobody knows which requests
// are those of one caller: each counts as another's.
func (x *index) archive(name string) error {
	content, err := x.content(name)
	if content == nil {
		return err
	}
	var read har
	if err := json.Unmarshal(content, &read); err != nil {
		x.leave(name, fmt.Errorf("it is no archive of HTTP: %w", err))
		return nil
	}
	x.files++
	var entries []wire.Entry
	var places []int
	known := map[string]bool{} // hosts whose callers are known
	for n, e := range read.Log.Entries {
		heard, err := e.overheard()
		if err != nil {
			x.leave(name, fmt.Errorf("exchange %d: %w", n+1, err))
			continue
		}
		entry := x.hidden.Entry(heard, wire.DefaultLimits())
		if entry.Request.Header == nil {
			entry.Request.Header = map[string]string{}
		}
		for _, header := range wire.CallerHeaders() {
			known[originOf(&entry)] = known[originOf(&entry)] || wire.HoldsSecret(entry.Request.Header[header])
		}
		entries, places = append(entries, entry), append(places, n+1)
	}
	for n, e := range entries {
		if !known[originOf(&e)] {
			e.Request.Header[wire.StandIn] = fmt.Sprintf("%s%s %d", callerUnknown, name, n)
		}
		if err := x.keep(e, name, places[n]); err != nil {
			return err
		}
	}
	for _, origin := range slices.Sorted(maps.Keys(known)) {
		if !known[origin] {
			x.leave(name, fmt.Errorf("it holds no credentials for %s: what rests on who asked is not judged", origin))
		}
	}
	return nil
}

// callerUnknown begins the values of [wire.StandIn].
const callerUnknown = "unknown "

// CallerUnknown reports whether a request of a recording does not say who asked.
func CallerUnknown(q *wire.Request) bool {
	return strings.HasPrefix(q.Header[wire.StandIn], callerUnknown)
}

// overheard returns an exchange as a proxy would have seen it.
func (e harEntry) overheard() (o wire.Overheard, err error) {
	o = wire.Overheard{At: e.Started, Took: time.Duration(e.Took * float64(time.Millisecond)), Method: e.Request.Method,
		Asked: headers(e.Request.Headers), Status: e.Response.Status, Told: headers(e.Response.Headers)}
	if o.URL, err = url.Parse(e.Request.URL); err != nil {
		return o, err
	}
	if e.Request.Sent != nil {
		o.Sent = []byte(e.Request.Sent.Text)
	}
	got := []byte(e.Response.Content.Text)
	if e.Response.Content.Encoding == "base64" {
		if got, err = base64.StdEncoding.DecodeString(e.Response.Content.Text); err != nil {
			return o, fmt.Errorf("its body: %w", err)
		}
	}
	// An archive holds bodies as they were read, whatever compressed them on their way.
	o.Told.Del("Content-Encoding")
	o.Asked.Del("Content-Encoding")
	switch {
	case o.Status == 0:
		o.Error = "the archive has no reply"
	case strings.HasPrefix(o.Told.Get("Content-Type"), "text/event-stream"):
		return o, errors.New("it is a stream, and an archive does not say whether it has all of it")
	case int64(len(got)) < e.Response.Content.Size:
		return o, errors.New("the archive does not have all of its reply")
	default:
		o.Got = got
	}
	return o, nil
}

func headers(list []harHeader) http.Header {
	h := http.Header{}
	for _, header := range list {
		if len(header.Name) > 0 && header.Name[0] != ':' { // those of HTTP/2 are in the address
			h.Add(header.Name, header.Value)
		}
	}
	return h
}
