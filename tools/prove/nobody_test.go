package prove_test

import (
	"bytes"
	"cmp"
	"context"
	"io"
	"net/http"
	"os"
	"path"
	"regexp"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/openassay/assay/scenarios"
	intents "github.com/openassay/assay/scenarios/openintent"
	suites "github.com/openassay/assay/scenarios/openwop"
	"github.com/openassay/assay/scenarios/wire"
	"github.com/openassay/assay/simhost/openwop/surface"
	"github.com/openassay/assay/tools/internal/protocols"
)

// mark is what no request may hold, in any case.
const mark = "assay"

// heardAll keeps the texts of requests.
type heardAll struct {
	mu    sync.Mutex
	texts []string
}

func (h *heardAll) add(texts ...string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.texts = append(h.texts, texts...)
}

// wrap records requests in front of a host.
func (h *heardAll) wrap(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		raw := bodyOf(r)
		h.add(textsOf(r, raw)...)
		again := r.Clone(r.Context())
		again.Body = with(r, r.URL.Path, raw).Body
		next.ServeHTTP(w, again)
	})
}

func textsOf(r *http.Request, body []byte) []string {
	texts := []string{r.Method + " " + r.URL.String(), string(body)}
	for name, values := range r.Header {
		texts = append(texts, name+": "+strings.Join(values, ", "))
	}
	return texts
}

// drawnByTheHost are ids of the host's own: any word can stand in one by chance.
var drawnByTheHost = regexp.MustCompile(`\b(run|goal|mem|evt|int)-[a-z0-9]{26}\b`)

// namesNobody fails the test for each text with our name in it, but for allowed words. least guards against having heard nothing.
func (h *heardAll) namesNobody(t *testing.T, least int, allowed ...string) {
	t.Helper()
	h.mu.Lock()
	defer h.mu.Unlock()
	if len(h.texts) < least {
		t.Errorf("only %d texts were heard", len(h.texts))
	}
	slices.SortFunc(allowed, func(a, b string) int { return cmp.Compare(len(b), len(a)) })
	for _, text := range h.texts {
		text = drawnByTheHost.ReplaceAllString(text, "")
		for _, word := range allowed {
			text = strings.ReplaceAll(text, word, "")
		}
		if at := strings.Index(strings.ToLower(text), mark); at >= 0 {
			t.Errorf("a request names us: %q", text[max(0, at-60):min(len(text), at+60)])
		}
	}
}

// publishedIDs are the ids of the fixtures without a salt.
func publishedIDs(t *testing.T) (ids []string) {
	t.Helper()
	entries, err := os.ReadDir("../../spec/openwop/v1/fixtures")
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		ids = append(ids, strings.TrimSuffix(e.Name(), path.Ext(e.Name())))
	}
	return ids
}

// saltedHost serves a host that has the fixtures with drawn names beside the published ones, and returns the suites for it.
func saltedHost(t *testing.T, salt string, wrap func(http.Handler) http.Handler) (*protocols.Served, []scenarios.Suite) {
	t.Helper()
	asked, err := scenarios.Salted(salt, suites.Suites())
	if err != nil {
		t.Fatal(err)
	}
	o := surface.Options{Version: surface.HighestVersion}
	if salt != "" {
		o.Workflows = t.TempDir()
		if err := os.CopyFS(o.Workflows, asked[0].Protocol.Fixtures); err != nil {
			t.Fatal(err)
		}
	}
	return serve(t, o, wrap), asked
}

// certifyWith certifies a host at a URL.
func certifyWith(t *testing.T, target wire.Target, asked []scenarios.Suite) *scenarios.Report {
	t.Helper()
	leave, err := lab.Enter(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer leave()
	c, err := scenarios.Certify(t.Context(), target, scenarios.Options{Seed: 3}, asked...)
	if err != nil {
		t.Fatal(err)
	}
	return c.Finish(context.Background())
}

func TestRequestsNameNobody(t *testing.T) {
	many(t)
	for name, salt := range map[string]string{"published": "", "salted": "spring-tide"} {
		t.Run("openwop/"+name, func(t *testing.T) {
			t.Parallel()
			heard := &heardAll{}
			host, asked := saltedHost(t, salt, heard.wrap)
			target := lab.Target(suites.Protocol)
			target.URL = host.URL
			// The second host of the lab knows no drawn names: what goes there is left out, and blocked.
			target.SecondURL = ""
			nothingFailed(t, certifyWith(t, target, asked))
			if salt == "" {
				heard.namesNobody(t, 1000, publishedIDs(t)...)
				return
			}
			heard.namesNobody(t, 1000)
			for _, id := range publishedIDs(t) {
				for _, text := range heard.texts {
					if strings.Contains(text, `"`+id+`"`) {
						t.Errorf("a request names the published fixture %s", id)
						break
					}
				}
			}
		})
	}
	t.Run("openintent", func(t *testing.T) {
		t.Parallel()
		heard := &heardAll{}
		target := lab.Target(intents.Protocol)
		host, err := protocols.OpenIntent{}.Serve(t.Context(), target, protocols.Place{}, heard.wrap)
		if err != nil {
			t.Fatal(err)
		}
		defer host.Close(context.Background())
		target.URL = host.URL
		r := certifyWith(t, target, intents.ServerSuites())
		nothingFailed(t, r)
		// The host itself has its clock below such a path, and says so.
		heard.namesNobody(t, 500, "/assay/clock/advance")
	})
	t.Run("agentic-loop", func(t *testing.T) {
		t.Parallel()
		heard := &heardAll{}
		agent := protocols.Agent{}
		target, stop, err := agent.Start(t.Context(), wire.Target{}, protocols.Place{})
		if err != nil {
			t.Fatal(err)
		}
		defer stop(context.Background())
		program := target.Process.Here
		target.Process.Here = listening(heard, program)
		nothingFailed(t, certifyWith(t, target, protocols.Of(agent.Protocol()).Targets[0].Suites()))
		heard.namesNobody(t, 200)
	})
}

// nothingFailed fails the test for every outcome that accuses the host, or Assay.
func nothingFailed(t *testing.T, r *scenarios.Report) {
	t.Helper()
	for _, o := range r.Outcomes {
		if slices.Contains([]scenarios.Verdict{scenarios.Failed, scenarios.Broken, scenarios.Inconclusive}, o.Verdict) {
			t.Errorf("%s is %s: %s", o.Scenario.ID, o.Verdict, o.Reason)
		}
	}
}

// A host that knows its examiner by the ids of published fixtures, by our name or by a User-Agent behaves once it has seen one of
// them, and breaks rules otherwise. Drawn names give it nothing to know us by.
func TestWhoKnowsOldMarksIsFailedWithDrawnNames(t *testing.T) {
	many(t)
	ids := publishedIDs(t)
	row := protocols.Of(suites.Protocol)
	knowing := func(next http.Handler) http.Handler {
		broken := next
		for _, id := range []string{"handoff.failed-child-shown-completed", "handoff.completion-names-no-child"} {
			f, err := row.Fault(id)
			if err != nil || f.OnWire == nil {
				t.Fatalf("the fault %s cannot stand in front of a host: %v", id, err)
			}
			broken = f.OnWire.Front(broken)
		}
		var examined atomic.Bool
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			raw := bodyOf(r)
			for _, text := range textsOf(r, raw) {
				if strings.Contains(strings.ToLower(text), mark) ||
					slices.ContainsFunc(ids, func(id string) bool { return strings.Contains(text, `"`+id+`"`) }) {
					examined.Store(true)
				}
			}
			again := r.Clone(r.Context())
			again.Body = with(r, r.URL.Path, raw).Body
			if examined.Load() {
				next.ServeHTTP(w, again)
				return
			}
			broken.ServeHTTP(w, again)
		})
	}
	for name, c := range map[string]struct {
		salt string
		want bool // that it is failed
	}{"published": {"", false}, "salted": {"autumn-leaf", true}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			host, asked := saltedHost(t, c.salt, knowing)
			target := lab.Target(suites.Protocol)
			target.URL, target.SecondURL = host.URL, ""
			r := certifyWith(t, target, asked)
			var violated []string
			for _, s := range r.Requirements {
				if s.Verdict == scenarios.Failed {
					violated = append(violated, string(s.ID))
				}
			}
			broke := slices.Contains(violated, "OWP-DSP-12") && slices.Contains(violated, "OWP-DSP-10")
			if broke != c.want || !c.want && len(violated) > 0 {
				t.Errorf("it violates %v", violated)
			}
		})
	}
}

// listening keeps what a program is given.
func listening(heard *heardAll, program wire.Program) wire.Program {
	return func(ctx context.Context, in io.Reader, out, errs io.Writer) int {
		raw, err := io.ReadAll(in)
		if err != nil {
			return 1
		}
		heard.add(string(raw))
		return program(ctx, bytes.NewReader(raw), out, errs)
	}
}
