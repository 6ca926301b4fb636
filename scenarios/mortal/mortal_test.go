package mortal_test

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"os"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/openassay/assay/scenarios/mortal"
)

// address is the variable that makes this program a host that listens there; the file of the variable "ends" ends it.
const address, ends = "MORTAL_TEST_ADDRESS", "MORTAL_TEST_ENDS"

func TestMain(m *testing.M) {
	if at := os.Getenv(address); at != "" {
		serve(at)
	}
	goleak.VerifyTestMain(m)
}

func serve(at string) {
	born := time.Now().UnixNano()
	mux := http.NewServeMux()
	mux.HandleFunc("/", func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, born) })
	mux.HandleFunc("/end", func(http.ResponseWriter, *http.Request) { os.Exit(3) })
	fmt.Fprintln(os.Stderr, http.ListenAndServe(at, mux)) //nolint:gosec // a test
	os.Exit(1)
}

func free(t *testing.T) string {
	t.Helper()
	var config net.ListenConfig
	for port := 20_000 + os.Getpid()%10_000; ; port++ {
		at := fmt.Sprintf("127.0.0.1:%d", port)
		if l, err := config.Listen(t.Context(), "tcp", at); err == nil {
			if err := l.Close(); err != nil {
				t.Fatal(err)
			}
			return at
		}
	}
}

func start(t *testing.T, at string, words ...string) (*mortal.Host, error) {
	t.Helper()
	client := &http.Client{Transport: &http.Transport{}}
	t.Cleanup(client.CloseIdleConnections)
	return mortal.Start(t.Context(), words, "http://"+at, client, time.Minute)
}

func born(t *testing.T, at string) string {
	t.Helper()
	q, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "http://"+at, nil)
	if err != nil {
		t.Fatal(err)
	}
	client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	reply, err := client.Do(q)
	if err != nil {
		t.Fatal(err)
	}
	defer reply.Body.Close()
	var when string
	if _, err := fmt.Fscan(reply.Body, &when); err != nil {
		t.Fatal(err)
	}
	return when
}

func TestAHostIsKilledAndStartedAgain(t *testing.T) {
	at := free(t)
	t.Setenv(address, at)
	h, err := start(t, at, os.Args[0])
	if err != nil {
		t.Fatal(err)
	}
	defer h.Stop()
	first := born(t, at)
	if err := h.Kill(t.Context()); err != nil {
		t.Fatal(err)
	}
	second := born(t, at)
	if second == first || h.Deaths() != 1 {
		t.Errorf("born %s, and %s after %d deaths", first, second, h.Deaths())
	}
	if _, err := start(t, at, os.Args[0]); err == nil || !strings.Contains(err.Error(), "answers before the host is started") {
		t.Errorf("another one at the same address: %v", err)
	}

	q, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "http://"+at+"/end", nil)
	if err != nil {
		t.Fatal(err)
	}
	client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	if reply, err := client.Do(q); err == nil {
		reply.Body.Close()
	}
	for deadline := time.Now().Add(time.Minute); h.Deaths() < 2 && time.Now().Before(deadline); {
		if err := h.Up(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	if third := born(t, at); third == second {
		t.Error("a host that ended by itself was not started again")
	}
}

func TestAHostThatDoesNotStart(t *testing.T) {
	at := free(t)
	for name, c := range map[string]struct {
		words []string
		want  string
	}{
		"no program":        {[]string{"/no/such/program"}, "start the host: "},
		"it ends by itself": {[]string{os.Args[0], "-test.run=^$", "-no-such-flag"}, "ended by itself, with exit code 2"},
	} {
		t.Run(name, func(t *testing.T) {
			if _, err := start(t, at, c.words...); err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("%v, want %q", err, c.want)
			}
		})
	}
	t.Run("it is cancelled", func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		client := &http.Client{Transport: &http.Transport{}}
		_, err := mortal.Start(ctx, []string{"sleep", "60"}, "http://"+at, client, time.Minute)
		if err == nil || !strings.Contains(err.Error(), "while the host was started") {
			t.Errorf("%v", err)
		}
	})
}
