package record_test

import (
	"bufio"
	"compress/gzip"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/openassay/assay/internal/testenv"
	"github.com/openassay/assay/scenarios/wire"
	"github.com/openassay/assay/tools/record"
)

func TestMain(m *testing.M) {
	goleak.VerifyTestMain(m, goleak.Cleanup(func(code int) {
		http.DefaultTransport.(*http.Transport).CloseIdleConnections()
		os.Exit(code)
	}))
}

// taped starts a recorder in front of a handler. stop closes it, and returns what it says, and all entries.
func taped(t *testing.T, handler http.HandlerFunc, o record.Options) (url string, stop func() (record.Tally, error, []wire.Entry)) {
	t.Helper()
	host := httptest.NewServer(handler)
	t.Cleanup(host.Close)
	o.Target = host.URL
	if o.Dir == "" {
		o.Dir = filepath.Join(t.TempDir(), "tape")
	}
	if o.Most == 0 {
		o.Most = 64 << 20
	}
	r, err := record.New(o)
	if err != nil {
		t.Fatal(err)
	}
	front := httptest.NewServer(r)
	t.Cleanup(front.Close)
	return front.URL, func() (record.Tally, error, []wire.Entry) {
		tally, err := r.Close()
		return tally, err, entries(t, o.Dir)
	}
}

// entries reads all files of a recording, each of which must be a whole transcript.
func entries(t *testing.T, dir string) (all []wire.Entry) {
	t.Helper()
	names, err := filepath.Glob(filepath.Join(dir, "recording-*.json"))
	if err != nil {
		t.Fatal(err)
	}
	slices.Sort(names)
	for _, name := range names {
		content, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		var file struct {
			Schema  string
			Drive   string
			Seconds float64
			Entries []wire.Entry
		}
		if err := json.Unmarshal(content, &file); err != nil {
			t.Fatalf("%s is no whole transcript: %v", name, err)
		}
		if number := strings.TrimSuffix(strings.TrimPrefix(filepath.Base(name), "recording-"), ".json"); file.Drive != "recording/"+number ||
			file.Schema != "assay.transcript/1" {
			t.Errorf("%s calls itself %s of %s", name, file.Drive, file.Schema)
		}
		all = append(all, file.Entries...)
	}
	return all
}

func ask(t *testing.T, method, url, body string, header http.Header) (status int, got string, h http.Header) {
	t.Helper()
	q, err := http.NewRequestWithContext(t.Context(), method, url, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	if header != nil {
		q.Header = header
	}
	reply, err := http.DefaultClient.Do(q)
	if err != nil {
		t.Fatal(err)
	}
	defer reply.Body.Close()
	content, err := io.ReadAll(reply.Body)
	if err != nil {
		t.Fatal(err)
	}
	return reply.StatusCode, string(content), reply.Header
}

func TestAnExchangePassesAsItIsAndIsRecorded(t *testing.T) {
	url, stop := taped(t, func(w http.ResponseWriter, q *http.Request) {
		body, _ := io.ReadAll(q.Body)
		w.Header().Set("Content-Type", "application/json")
		w.Header().Set("Etag", `"7"`)
		w.WriteHeader(http.StatusCreated)
		fmt.Fprintf(w, `{"path":%q,"sent":%s,"key":%q}`, q.URL.String(), body, q.Header.Get("Authorization"))
	}, record.Options{})
	status, got, header := ask(t, "POST", url+"/v1/runs?wait=1", `{"a":1}`,
		http.Header{"Authorization": {"Bearer very-secret-key"}, "Idempotency-Key": {"once-and-for-all"}, "Content-Type": {"application/json"}})
	want := `{"path":"/v1/runs?wait=1","sent":{"a":1},"key":"Bearer very-secret-key"}`
	if status != http.StatusCreated || got != want || header.Get("Etag") != `"7"` {
		t.Errorf("the client got %d %s %v", status, got, header)
	}
	tally, err, all := stop()
	if err != nil || tally.Exchanges != 1 || tally.Left != 0 || len(all) != 1 {
		t.Fatalf("%v, %v: %v", tally, err, all)
	}
	e := all[0]
	if e.Kind != "http" || e.Request.Method != "POST" || !strings.HasSuffix(e.Request.URL, "/v1/runs?wait=1") ||
		e.Request.Body != `{"a":1}` || e.Request.Header["Authorization"] != "Bearer <secret:1>" ||
		e.Request.Header["Idempotency-Key"] != "once-and-for-all" || e.Response.Status != http.StatusCreated ||
		e.Response.Header["Etag"] != `"7"` || e.Response.Body != strings.ReplaceAll(want, "very-secret-key", "<secret:1>") || e.Error != "" {
		t.Errorf("recorded: %+v %+v %+v", e, e.Request, e.Response)
	}
}

func TestAStreamPassesEventByEvent(t *testing.T) {
	next := make(chan struct{})
	url, stop := taped(t, func(w http.ResponseWriter, q *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		for n := range 3 {
			fmt.Fprintf(w, "id: %d\ndata: {\"token\":\"secret-of-%d-and-more\"}\n\n", n, n)
			_ = http.NewResponseController(w).Flush()
			select {
			case <-next: // the client has the one before
			case <-q.Context().Done():
				return
			}
		}
	}, record.Options{})
	q, err := http.NewRequestWithContext(t.Context(), "GET", url+"/events", nil)
	if err != nil {
		t.Fatal(err)
	}
	q.Header.Set("Accept", "text/event-stream")
	reply, err := http.DefaultClient.Do(q)
	if err != nil {
		t.Fatal(err)
	}
	defer reply.Body.Close()
	lines := bufio.NewScanner(reply.Body)
	for n := range 3 {
		for lines.Scan() && !strings.HasPrefix(lines.Text(), "data:") {
		}
		if want := fmt.Sprintf("secret-of-%d-", n); !strings.Contains(lines.Text(), want) {
			t.Fatalf("%s, want %s", lines.Text(), want)
		}
		if n < 2 {
			next <- struct{}{}
		}
	}
	_, err, all := stop() // with the stream open
	if err != nil || len(all) != 1 || all[0].Kind != "stream" || len(all[0].Chunks) != 3 {
		t.Fatalf("%v: %+v", err, all)
	}
	for n, c := range all[0].Chunks {
		if want := fmt.Sprintf("id: %d\ndata: {\"token\":\"<secret:%d>\"}\n\n", n, n+1); c.Text != want {
			t.Errorf("chunk %d is %q, want %q", n, c.Text, want)
		}
	}
}

func TestWhatIsNotPassedOnOrNotKept(t *testing.T) {
	url, stop := taped(t, func(w http.ResponseWriter, q *http.Request) {
		switch q.URL.Path {
		case "/zipped":
			if q.Header.Get("Accept-Encoding") != "gzip" {
				t.Errorf("the host was asked for %q", q.Header.Get("Accept-Encoding"))
			}
			w.Header().Set("Content-Encoding", "gzip")
			z := gzip.NewWriter(w)
			_, _ = io.WriteString(z, `{"plain":true}`)
			_ = z.Close()
		case "/odd":
			w.Header().Set("Content-Encoding", "rot13")
			_, _ = io.WriteString(w, "uryyb")
		case "/large":
			_, _ = io.Copy(io.Discard, q.Body)
		case "/gone":
			panic(http.ErrAbortHandler)
		}
	}, record.Options{})
	if status, got, _ := ask(t, "GET", url+"/ws", "", http.Header{"Upgrade": {"websocket"}, "Connection": {"Upgrade"}}); status !=
		http.StatusNotImplemented || !strings.Contains(got, "passes on no upgrades") {
		t.Errorf("an upgrade: %d %s", status, got)
	}
	_, got, _ := ask(t, "GET", url+"/zipped", "", http.Header{"Accept-Encoding": {"br, gzip"}})
	if !strings.HasPrefix(got, "\x1f\x8b") {
		t.Errorf("the client got %q, and not what the host sent", got)
	}
	ask(t, "GET", url+"/odd", "", nil)
	ask(t, "POST", url+"/large", strings.Repeat("x", 1<<20+1), nil)
	if status, _, _ := ask(t, "GET", url+"/gone", "", nil); status != http.StatusBadGateway {
		t.Errorf("a host that hangs up: %d", status)
	}
	_, err, all := stop()
	if err != nil || len(all) != 4 {
		t.Fatalf("%v: %d entries", err, len(all))
	}
	if all[0].Response.Body != `{"plain":true}` || all[0].Error != "" {
		t.Errorf("zipped: %+v %+v", all[0], all[0].Response)
	}
	for i, want := range []string{1: "compressed with rot13", 2: "larger than 1048576 bytes", 3: "no answer"} {
		e := all[i]
		if want != "" && (!strings.Contains(e.Error, want) || e.Request.Body != "" || e.Response != nil && e.Response.Body != "") {
			t.Errorf("entry %d: %+v, want %s", i, all[i], want)
		}
	}
	if all[3].Response != nil {
		t.Errorf("the recorder's own answer counts as the host's: %+v", all[3].Response)
	}
}

// fill passes 64 KiB so many times.
func fill(t *testing.T, url string, times int) {
	t.Helper()
	for n := range times {
		ask(t, "GET", fmt.Sprintf("%s/%d", url, n), "", nil)
	}
}

func large(w http.ResponseWriter, _ *http.Request) {
	_, _ = io.WriteString(w, strings.Repeat("x", 64<<10))
}

func TestTheOldestFileMakesRoom(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "tape")
	url, stop := taped(t, large, record.Options{Dir: dir, Most: 1 << 20, Rolling: true})
	fill(t, url, 40)
	tally, err, all := stop()
	if err != nil || tally.Exchanges != 40 || tally.Left != 0 || tally.Removed == 0 {
		t.Errorf("%v, %v", tally, err)
	}
	if last := all[len(all)-1]; !strings.HasSuffix(last.Request.URL, "/39") || len(all) < 8 {
		t.Errorf("%d entries are left, the last %s", len(all), last.Request.URL)
	}
	size := int64(0)
	files, _ := os.ReadDir(dir)
	for _, f := range files {
		info, err := f.Info()
		if err != nil {
			t.Fatal(err)
		}
		size += info.Size()
	}
	if size > 1<<20+1000 {
		t.Errorf("the files have %d bytes", size)
	}
}

func TestAFullRecordingIsNotWrittenOnAndPassesOn(t *testing.T) {
	url, stop := taped(t, large, record.Options{Most: 1 << 20})
	fill(t, url, 20)
	tally, err, all := stop()
	if !errors.Is(err, record.ErrFull) || tally.Exchanges != len(all) || tally.Left != 20-len(all) || len(all) < 8 || len(all) > 16 {
		t.Errorf("%v, %v, %d entries", tally, err, len(all))
	}
}

func TestFilesAreWholeAtAnyTime(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "tape")
	url, stop := taped(t, large, record.Options{Dir: dir, Most: 4 << 20})
	for n := range 5 {
		ask(t, "GET", fmt.Sprintf("%s/%d", url, n), "", nil)
		testenv.Until(t, "it is written", 5*time.Second, func() bool { return len(entries(t, dir)) == n+1 })
	}
	if _, err, _ := stop(); err != nil {
		t.Error(err)
	}
	if _, err := record.New(record.Options{Target: "http://127.0.0.1:1", Dir: dir, Most: 4 << 20}); err == nil ||
		!strings.Contains(err.Error(), "holds a recording already") {
		t.Errorf("a folder that has a recording: %v", err)
	}
}

func TestManyClientsAtOnce(t *testing.T) {
	url, stop := taped(t, func(w http.ResponseWriter, q *http.Request) {
		_, _ = io.Copy(w, q.Body)
	}, record.Options{})
	var clients sync.WaitGroup
	for c := range 8 {
		clients.Go(func() {
			for n := range 50 {
				body := fmt.Sprintf("client %d, %d", c, n)
				if _, got, _ := ask(t, "POST", url+"/echo", body, http.Header{"X-Api-Key": {fmt.Sprintf("key-of-%d", c)}}); got != body {
					t.Errorf("%s came back as %s", body, got)
				}
			}
		})
	}
	clients.Wait()
	tally, err, all := stop()
	keys := map[string]string{} // client -> its placeholder
	for _, e := range all {
		if e.Request.Body != e.Response.Body {
			t.Errorf("recorded: sent %s, got %s", e.Request.Body, e.Response.Body)
		}
		client, _, _ := strings.Cut(e.Request.Body, ",")
		key := e.Request.Header["X-Api-Key"]
		if keys[client] != "" && keys[client] != key || !strings.HasPrefix(key, "<secret:") {
			t.Errorf("%s has the keys %s and %s", client, keys[client], key)
		}
		keys[client] = key
	}
	if err != nil || tally.Exchanges != 400 || len(all) != 400 || len(keys) != 8 {
		t.Errorf("%v, %v: %d entries of %d clients", tally, err, len(all), len(keys))
	}
}
