package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"strings"
	"time"

	"github.com/spf13/pflag"

	"github.com/openassay/assay/internal/textsafe"
	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/simhost/console"
	"github.com/openassay/assay/simhost/serving/onward"
	"github.com/openassay/assay/tools/internal/protocols"
)

// running is a simulated host that runs, as commands ask it.
type running struct{ url, key string }

func (h *running) register(f *pflag.FlagSet) {
	f.StringVar(&h.url, "url", "http://127.0.0.1:7411", "`URL` of the simulated host that runs")
	f.StringVar(&h.key, "key", "", "`KEY` of it (default "+keyVariable+", or "+protocols.DefaultKey+")")
}

// patience is how long a running host may take to begin its answer: whatever falls due while time passes happens before that.
const patience = 10 * time.Minute

// ask sends a value as JSON, nil for a GET, and returns the answer as it comes. Whoever asked closes it. Errors begin with the command.
func (h *running) ask(ctx context.Context, command, path string, send any) (*http.Response, error) {
	if command != "" {
		command += ": "
	}
	base, err := onward.ParseURL(h.url)
	if err != nil {
		return nil, usage("%s--url: %w", command, err)
	}
	method, body := http.MethodGet, io.Reader(http.NoBody)
	if send != nil {
		raw, err := json.Marshal(send)
		if err != nil {
			return nil, err
		}
		method, body = http.MethodPost, bytes.NewReader(raw)
	}
	r, err := http.NewRequestWithContext(ctx, method, base.JoinPath(path).String(), body)
	if err != nil {
		return nil, usage("%s--url: %w", command, err)
	}
	key := h.key
	for _, other := range []string{os.Getenv(keyVariable), protocols.DefaultKey} {
		if key == "" {
			key = other
		}
	}
	r.Header.Set("Authorization", "Bearer "+key)
	client := &http.Client{
		Transport: &http.Transport{
			Proxy: http.ProxyFromEnvironment, DialContext: (&net.Dialer{Timeout: 10 * time.Second}).DialContext, ResponseHeaderTimeout: patience,
			DisableKeepAlives: true,
		},
		// The key is for the host alone.
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
	reply, err := client.Do(r)
	if err != nil {
		return nil, &exit{Code: scenarios.ExitUnreachable, Cause: fmt.Errorf("%s%w: start a host with assay simhost, or name the one that "+
			"runs with --url", command, err)}
	}
	if reply.StatusCode == http.StatusOK {
		return reply, nil
	}
	defer reply.Body.Close()
	return nil, h.refused(command, reply)
}

func (h *running) refused(command string, reply *http.Response) error {
	var said console.Problem
	if err := json.NewDecoder(io.LimitReader(reply.Body, 64<<10)).Decode(&said); err != nil || said.Error == "" {
		return fmt.Errorf("%s%s answers with %s: it is no simulated host, or one that was started with --console=false", command, h.url,
			reply.Status)
	}
	return fmt.Errorf("%s%s", command, said.Error)
}

// answer is ask for an answer in JSON.
func (h *running) answer(ctx context.Context, command, path string, send, into any) (err error) {
	reply, err := h.ask(ctx, command, path, send)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, reply.Body.Close()) }()
	if err := json.NewDecoder(reply.Body).Decode(into); err != nil {
		return fmt.Errorf("%sthe answer of %s cannot be read: %w: it is no simulated host", command, h.url, err)
	}
	return nil
}

// safe is text of a host or of a file, ready for a terminal.
func safe(text string) string { return textsafe.Line(strings.TrimSpace(text)) }
