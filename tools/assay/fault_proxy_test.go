package main

import (
	"bufio"
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/openassay/assay/simhost/openwop/surface"
)

// The proxy serves until it is interrupted, and then ends well.
func TestFaultProxyServesUntilInterrupted(t *testing.T) {
	host, err := surface.New(t.Context(), surface.Options{Key: "k"})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = host.Close(context.Background()) }()
	server := httptest.NewServer(host.Handler())
	defer server.Close()

	ctx, interrupt := context.WithCancel(t.Context())
	defer interrupt()
	out, says := io.Pipe()
	ended := make(chan int, 1)
	go func() {
		ended <- execute(ctx, []string{"fault-proxy", "--target", server.URL, "--fault", "shape.supported-in-words", "--listen", "127.0.0.1:0"},
			says, io.Discard)
	}()
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	address, rest, _ := strings.Cut(line, " ")
	if want := "is " + server.URL + " with shape.supported-in-words\n"; rest != want {
		t.Errorf("it says %q, want %q", rest, want)
	}
	for base, want := range map[string]string{address: `"supported":"yes"`, server.URL: `"supported":true`} {
		reply, err := http.Get(base + "/.well-known/openwop")
		if err != nil {
			t.Fatal(err)
		}
		body, err := io.ReadAll(reply.Body)
		_ = reply.Body.Close()
		_, model, _ := strings.Cut(string(body), `"executionModel":`)
		if model, _, _ = strings.Cut(model, "}}"); err != nil || !strings.Contains(model, want) {
			t.Errorf("%s: %s, want %s in it", base, model, want)
		}
	}
	http.DefaultClient.CloseIdleConnections()
	interrupt()
	if code := <-ended; code != 0 {
		t.Errorf("exit code %d", code)
	}
}
