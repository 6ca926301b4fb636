package observed

import (
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strconv"
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

// archive adds the exchanges of an archive, without their credentials. It holds no times of chunks, so a stream is one chunk. Browsers
// leave credentials out, and then nobody knows which requests are those of one caller: each counts as another's.
func (j *joined) archive(folder fs.FS, name string) error {
	content, err := j.content(folder, name)
	if content == nil {
		return err
	}
	var read har
	if err := json.Unmarshal(content, &read); err != nil {
		j.leave(name, fmt.Errorf("it is no archive of HTTP: %w", err))
		return nil
	}
	j.files++
	var hidden wire.Redactor
	var entries []wire.Entry
	known := false // who asked
	for n, e := range read.Log.Entries {
		heard, err := e.overheard()
		if err != nil {
			j.leave(name, fmt.Errorf("exchange %d: %w", n+1, err))
			continue
		}
		entry := hidden.Entry(heard, wire.DefaultLimits())
		known = known || slices.ContainsFunc(slices.Collect(maps.Values(entry.Request.Header)), secret)
		entries = append(entries, entry)
	}
	if !known {
		j.leave(name, errors.New("it holds no credentials: what rests on who asked is not judged"))
		for n, e := range entries {
			if e.Request.Header == nil {
				e.Request.Header = map[string]string{}
			}
			e.Request.Header["Caller"] = "unknown " + strconv.Itoa(n)
		}
	}
	j.entries = append(j.entries, entries...)
	return nil
}

func secret(value string) bool { return strings.Contains(value, "<secret:") }

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
	case len(got) == 0 && e.Response.Content.Size > 0:
		return o, errors.New("the archive has its reply without the body")
	case strings.HasPrefix(o.Told.Get("Content-Type"), "text/event-stream"):
		if len(got) == 0 {
			return o, errors.New("the archive has its stream without the events")
		}
		o.Stream = true
		o.Chunks = []wire.Chunk{{Micros: o.Took.Microseconds(), Text: string(got)}}
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
