package main

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"os"
	"strings"
	"time"

	"github.com/openassay/assay/scenarios/wire"
	"github.com/openassay/assay/tools/internal/protocols"
)

// simulated is the TARGET that is started for the occasion.
const simulated = "simhost"

// target is what is certified, as the command line names it.
type target struct {
	name string // as it may be shown: without a password
	row  *protocols.Row
	kind protocols.Kind // zero for a host
	wire wire.Target

	specimen protocols.Specimen // started for the occasion; nil for a target that is there
	log      io.Writer          // where it reports faults of its own
}

func (o *certifyFlags) target(name string) (target, error) {
	key, err := o.credential()
	if err != nil {
		return target{}, err
	}
	headers, err := readHeaders(o.headers)
	if err != nil {
		return target{}, err
	}
	if key != "" && headers["Authorization"] != "" {
		return target{}, usage("certify --header Authorization: there is a key too: give one of them")
	}
	t := target{name: name, wire: wire.Target{URL: name, Key: key, Header: headers, CAFile: o.caCert}, log: os.Stderr}
	if err := o.others.fill(&t.wire); err != nil {
		return target{}, err
	}
	if err := o.second.fill(&t.wire); err != nil {
		return target{}, err
	}
	if name == simulated {
		return t, nil
	}
	network, err := wire.NewNetwork(t.wire, wire.Options{Limits: wire.DefaultLimits()})
	if err != nil {
		return t, usage("certify: %w", err)
	}
	t.name = network.Address()
	return t, nil
}

// open makes the target ready to be asked. stop ends what was started for it.
func (t target) open(ctx context.Context) (ready wire.Target, stop func(), err error) {
	if t.specimen == nil {
		return t.wire, func() {}, nil
	}
	ready = t.wire
	invent(&ready)
	// Whatever was made on it is cleaned up after an interrupt, too.
	ctx = context.WithoutCancel(ctx)
	// Not every reminder is of interest here.
	logger := slog.New(slog.NewTextHandler(t.log, &slog.HandlerOptions{Level: slog.LevelWarn}))
	ready, end, err := t.specimen.Start(ctx, ready, protocols.Place{Release: version(), Logger: logger})
	if err != nil {
		return ready, nil, fmt.Errorf("certify simhost: %w", err)
	}
	return ready, func() {
		bounded, cancel := context.WithTimeout(ctx, 5*time.Second)
		defer cancel()
		if err := end(bounded); err != nil {
			fmt.Fprintln(t.log, "assay: stop the simulated host:", err)
		}
	}, nil
}

// notOurs are headers that the transport writes itself, or that only make sense for one connection.
var notOurs = map[string]string{
	"Host":              "it is taken from the target's URL",
	"Content-Length":    "every request has its own",
	"Content-Type":      "every request has its own",
	"Accept":            "every request has its own",
	"Transfer-Encoding": "requests are sent whole",
	"Connection":        "connections are Assay's own",
}

func readHeaders(typed []string) (map[string]string, error) {
	out := map[string]string{}
	for _, h := range typed {
		name, value, ok := parseHeader(h)
		if !ok {
			return nil, usage("certify --header: write \"Name: value\" or Name=value, without line breaks")
		}
		if why, ours := notOurs[name]; ours {
			return nil, usage("certify --header %s: %s: leave it out", name, why)
		}
		if _, twice := out[name]; twice {
			return nil, usage("certify --header %s: it is given twice: join the values", name)
		}
		out[name] = value
	}
	return out, nil
}

// parseHeader cuts at the first colon or equals sign. The value may be a secret: no error repeats it.
func parseHeader(h string) (name, value string, ok bool) {
	i := strings.IndexAny(h, ":=")
	if i <= 0 {
		return "", "", false
	}
	name, value = http.CanonicalHeaderKey(h[:i]), strings.TrimSpace(h[i+1:])
	return name, value, isToken(h[:i]) && isHeaderValue(value)
}

// isToken is RFC 9110's token, which a header's name is.
func isToken(s string) bool {
	return isMadeOf(s, "!#$%&'*+-.^_`|~")
}

// isMadeOf says whether s is one or more ASCII letters, digits and characters of others.
func isMadeOf(s, others string) bool {
	for i := range len(s) {
		c := s[i]
		letter := c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
		digit := c >= '0' && c <= '9'
		if !letter && !digit && strings.IndexByte(others, c) < 0 {
			return false
		}
	}
	return s != ""
}

func isHeaderValue(s string) bool {
	return strings.IndexFunc(s, func(r rune) bool { return r < ' ' && r != '\t' || r == 0x7f }) < 0
}
