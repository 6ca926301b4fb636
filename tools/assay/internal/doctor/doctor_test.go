package doctor_test

import (
	"context"
	"encoding/pem"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/agenticloop"
	"github.com/openassay/assay/scenarios/openintent"
	"github.com/openassay/assay/scenarios/openwop"
	"github.com/openassay/assay/scenarios/wire"
	host "github.com/openassay/assay/simhost/openwop/surface"
	"github.com/openassay/assay/tools/assay/internal/doctor"
)

const key, otherKey = "the-key-of-the-doctor", "the-other-key-of-the-doctor"

var both = []*scenarios.Protocol{openwop.Protocol, openintent.Protocol}

// sound is a host that keeps every promise; what it is asked is kept.
func sound(t *testing.T) (handler http.Handler, asked *[]string) {
	t.Helper()
	h, err := host.New(t.Context(), host.Options{Key: key, Tenants: map[string]string{"other": otherKey}, Version: host.HighestVersion,
		Peers: map[string]host.Peer{host.SecondHost: {URL: "http://127.0.0.1:9", Key: "another"}}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = h.Close(context.Background()) })
	asked = new([]string)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		*asked = append(*asked, r.Method+" "+r.URL.Path)
		h.Handler().ServeHTTP(w, r)
	}), asked
}

func examine(t *testing.T, o doctor.Options) *doctor.Report {
	t.Helper()
	if o.Protocols == nil {
		o.Protocols = both
	}
	r, err := doctor.Examine(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// has finds a check by its name and status, with words in what was seen or in the mend.
func has(t *testing.T, r *doctor.Report, name string, status doctor.Status, words string) {
	t.Helper()
	for _, c := range r.Checks {
		if c.Name == name && c.Status == status && strings.Contains(c.Seen+" -> "+c.Mend, words) {
			if status != doctor.OK && c.Mend == "" {
				t.Errorf("%s: there is no mend for %q", name, c.Seen)
			}
			return
		}
	}
	t.Errorf("no %s of %s with %q: %+v", status, name, words, r.Checks)
}

func TestASoundHost(t *testing.T) {
	handler, asked := sound(t)
	server := httptest.NewServer(handler)
	defer server.Close()
	r := examine(t, doctor.Options{Target: wire.Target{URL: server.URL, Key: key, OtherKey: otherKey}})
	for _, c := range r.Checks {
		if c.Status != doctor.OK {
			t.Errorf("%+v", c)
		}
	}
	if r.ExitCode() != 0 || r.Protocol != "openwop/v1" {
		t.Errorf("%s: exit code %d", r.Protocol, r.ExitCode())
	}
	for _, a := range *asked {
		if !strings.HasPrefix(a, "GET ") {
			t.Errorf("it was sent %s", a)
		}
	}
	has(t, r, "seams", doctor.OK, "agentloop/run")
	has(t, r, "fixtures", doctor.OK, "are listed")
}

func TestWhatIsInTheWay(t *testing.T) {
	handler, _ := sound(t)
	document := func(text string) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if r.URL.Path != "/.well-known/openwop" {
				handler.ServeHTTP(w, r)
				return
			}
			w.Header().Set("Content-Type", "application/json")
			_, _ = w.Write([]byte(text))
		})
	}
	with := func(change func(w http.ResponseWriter, r *http.Request)) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			change(w, r)
			handler.ServeHTTP(w, r)
		})
	}
	for _, c := range []struct {
		name    string
		handler http.Handler
		target  wire.Target
		check   string
		status  doctor.Status
		words   string
		exit    int
	}{
		{"no key is given", handler, wire.Target{}, "no key", doctor.Fail, "--key", 1},
		{"a key is refused", handler, wire.Target{Key: "wrong-key-altogether"}, "--key", doctor.Fail, "refused with 401", 1},
		{"the other tenant's is refused", handler, wire.Target{Key: key, OtherKey: "wrong-key-altogether"}, "--tenant-b-key",
			doctor.Fail, "refused", 1},
		{"a voter's is refused", handler, wire.Target{Key: key, VoterKeys: []string{"wrong-key-altogether"}}, "--voter-key 1",
			doctor.Fail, "refused", 1},
		{"everybody is let in", with(func(_ http.ResponseWriter, r *http.Request) { r.Header.Set("Authorization", "Bearer "+key) }),
			wire.Target{Key: key}, "no key", doctor.Warn, "is answered with 404", 0},
		{"its clock is off", with(func(w http.ResponseWriter,
			_ *http.Request) {
			w.Header().Set("Date", "Thu, 01 Jan 2015 00:00:00 GMT")
		}), wire.Target{Key: key}, "clock", doctor.Warn, "is off by -", 0},
		{"it tells no time", with(func(w http.ResponseWriter, _ *http.Request) { w.Header()["Date"] = nil }), wire.Target{Key: key},
			"clock", doctor.Warn, "no Date", 0},
		{"the document is none", document("<html>"), wire.Target{Key: key}, "discovery", doctor.Fail, "base URL", 3},
		{"the document is a list", document("[]"), wire.Target{Key: key}, "discovery", doctor.Fail, "no JSON object", 3},
		{"the document is not as its schema says", document(`{"protocolVersion": 7}`), wire.Target{Key: key}, "schema", doctor.Warn,
			"protocolVersion", 0},
		{"nothing is listed", document(`{"protocolVersion":"1.1"}`), wire.Target{Key: key}, "fixtures", doctor.Warn, "assay fixtures export", 0},
		{"one fixture is listed", document(`{"protocolVersion":"1.1","fixtures":["assay-loop", 7]}`), wire.Target{Key: key}, "fixtures",
			doctor.Warn, "not listed: assay-approval", 0},
		{"there is no document", http.NotFoundHandler(), wire.Target{}, "discovery", doctor.Fail, "404", 3},
		{"it hangs up", http.HandlerFunc(func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }), wire.Target{},
			"discovery", doctor.Fail, "", 3},
		{"it has no seams", http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if strings.HasPrefix(r.URL.Path, "/v1/host/") {
				http.NotFound(w, r)
				return
			}
			handler.ServeHTTP(w, r)
		}), wire.Target{Key: key}, "seams", doctor.Warn, "--seam-prefix", 0},
		{"it breaks down", http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if strings.HasPrefix(r.URL.Path, "/v1/runs/") && r.Header.Get("Authorization") != "" {
				w.WriteHeader(http.StatusInternalServerError)
				return
			}
			handler.ServeHTTP(w, r)
		}), wire.Target{Key: key}, "--key", doctor.Warn, "500", 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			server := httptest.NewServer(c.handler)
			defer server.Close()
			c.target.URL = server.URL
			r := examine(t, doctor.Options{Target: c.target})
			has(t, r, c.check, c.status, c.words)
			if r.ExitCode() != c.exit {
				t.Errorf("exit code %d, want %d: %+v", r.ExitCode(), c.exit, r.Checks)
			}
		})
	}
}

// A host that repeats what it was sent tells no key on a terminal.
func TestNoKeyIsTold(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Date", "it is "+key)
		w.Header().Set("Content-Type", "application/json")
		_, _ = w.Write([]byte(`{"protocolVersion": "` + key + `"}`))
	}))
	defer server.Close()
	r := examine(t, doctor.Options{Target: wire.Target{URL: server.URL, Key: key}})
	for _, c := range r.Checks {
		if strings.Contains(c.Seen+c.Mend, key) {
			t.Errorf("%s tells the key: %s", c.Name, c.Seen)
		}
	}
}

func TestTheWayThere(t *testing.T) {
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	closed := "http://" + ln.Addr().String()
	_ = ln.Close()
	r := examine(t, doctor.Options{Target: wire.Target{URL: closed}})
	has(t, r, "tcp", doctor.Fail, "start the host")
	if r.ExitCode() != scenarios.ExitUnreachable {
		t.Errorf("exit code %d", r.ExitCode())
	}
	r = examine(t, doctor.Options{Target: wire.Target{URL: "http://nowhere.invalid"}})
	has(t, r, "dns", doctor.Fail, "check the name")

	handler, _ := sound(t)
	secure := httptest.NewTLSServer(handler)
	defer secure.Close()
	r = examine(t, doctor.Options{Target: wire.Target{URL: secure.URL, Key: key}})
	has(t, r, "tls", doctor.Fail, "--cacert")
	authority := filepath.Join(t.TempDir(), "ca.pem")
	encoded := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: secure.Certificate().Raw})
	if err := os.WriteFile(authority, encoded, 0o600); err != nil {
		t.Fatal(err)
	}
	r = examine(t, doctor.Options{Target: wire.Target{URL: secure.URL, Key: key, CAFile: authority}})
	has(t, r, "tls", doctor.OK, "certificate until")
	if r.ExitCode() != 0 {
		t.Errorf("%+v", r.Checks)
	}
	// The day before it ends.
	ends := secure.Certificate().NotAfter.Add(-24 * time.Hour)
	r = examine(t, doctor.Options{Target: wire.Target{URL: secure.URL, Key: key, CAFile: authority}, Now: func() time.Time { return ends }})
	has(t, r, "tls", doctor.Warn, "renew")

	plain := httptest.NewServer(handler)
	defer plain.Close()
	r = examine(t, doctor.Options{Target: wire.Target{URL: strings.Replace(plain.URL, "http:", "https:", 1)}})
	has(t, r, "tls", doctor.Fail, "is it http://")
}

func TestPrograms(t *testing.T) {
	for _, c := range []struct {
		name, command string
		status        doctor.Status
		check, words  string
		exit          int
	}{
		{"it answers", `printf '{"status":"ok","result":"well"}'`, doctor.OK, "turn", "answered in JSON", 0},
		{"it echoes", `cat`, doctor.Fail, "turn", "something else", 1},
		{"it chats", `echo hello; echo oops >&2`, doctor.Fail, "turn", "oops", 3},
		{"it exits with 3", `printf '{"status":"ok","result":"well"}'; exit 3`, doctor.Warn, "turn", "exits with 3", 0},
		{"it says nothing", `true`, doctor.Fail, "turn", "one JSON document", 3},
	} {
		t.Run(c.name, func(t *testing.T) {
			target, err := agenticloop.Exec([]string{"sh", "-c", c.command})
			if err != nil {
				t.Fatal(err)
			}
			r := examine(t, doctor.Options{Target: target, Protocols: []*scenarios.Protocol{agenticloop.Protocol}})
			has(t, r, c.check, c.status, c.words)
			if r.ExitCode() != c.exit {
				t.Errorf("exit code %d, want %d: %+v", r.ExitCode(), c.exit, r.Checks)
			}
		})
	}
	target, err := agenticloop.Exec([]string{"/nowhere/at-all"})
	if err != nil {
		t.Fatal(err)
	}
	r := examine(t, doctor.Options{Target: target, Protocols: []*scenarios.Protocol{agenticloop.Protocol}})
	has(t, r, "program", doctor.Fail, "chmod 755")

	resolver, err := openintent.Resolver([]string{"sh", "-c", `printf '{"policy":null}'`})
	if err != nil {
		t.Fatal(err)
	}
	r = examine(t, doctor.Options{Target: resolver, Protocols: []*scenarios.Protocol{openintent.Protocol}})
	has(t, r, "turn", doctor.OK, "an empty question")
}
