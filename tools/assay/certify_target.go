package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/openassay/assay/scenarios/wire"
	"github.com/openassay/assay/tools/internal/protocols"
)

// simulated names the TARGET that certify starts itself.
const simulated = "simhost"

// A target is a host or program to certify, as the command line names it.
type target struct {
	name string // for display: without a password
	row  *protocols.Row
	kind protocols.Kind // zero for a host
	wire wire.Target

	specimen protocols.Specimen // started by certify; nil for a target that already runs
	salt     string             // of the names of the fixtures that the specimen has; "" for the published ones alone
	again    []string           // the salts of fixtures that it is asked about again
	log      io.Writer          // for faults of the specimen
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
		return target{}, usage("certify --header Authorization: a key is given too: give one of them")
	}
	switch _, twice := headers["User-Agent"]; {
	case !isHeaderValue(o.userAgent):
		return target{}, usage("certify --user-agent: it holds a line break or another character that a header cannot carry")
	case o.userAgent != "" && twice:
		return target{}, usage("certify --header User-Agent: --user-agent is given too: give one of them")
	}
	t := target{name: name, wire: wire.Target{URL: name, Key: key, Header: headers, UserAgent: o.userAgent, CAFile: o.caCert}, log: os.Stderr}
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

// open starts the specimen, if the target has one, and returns the target to certify. stop ends the specimen.
func (t target) open(ctx context.Context) (ready wire.Target, stop func(), err error) {
	if t.specimen == nil {
		return t.wire, func() {}, nil
	}
	ready = t.wire
	invent(&ready)
	// The specimen must outlive an interrupt, so that a clean-up still reaches it.
	ctx = context.WithoutCancel(ctx)
	// The specimen logs more at Info than a certification should show.
	place := protocols.Place{Release: version(), Logger: slog.New(slog.NewTextHandler(t.log, &slog.HandlerOptions{Level: slog.LevelWarn}))}
	gone := func() error { return nil }
	if salts := slices.DeleteFunc(append([]string{t.salt}, t.again...), func(s string) bool { return s == "" }); len(salts) > 0 {
		if place.Workflows, err = os.MkdirTemp("", "fixtures-"); err != nil {
			return ready, nil, fmt.Errorf("certify simhost: make a folder for the fixtures: %w", err)
		}
		gone = func() error { return os.RemoveAll(place.Workflows) }
		for _, salt := range salts {
			if _, err := exportFixtures(place.Workflows, "", salt); err != nil {
				return ready, nil, errors.Join(fmt.Errorf("certify simhost: write the fixtures: %w", err), gone())
			}
		}
	}
	ready, end, err := t.specimen.Start(ctx, ready, place)
	if err != nil {
		return ready, nil, errors.Join(fmt.Errorf("certify simhost: %w", err), gone())
	}
	return ready, func() {
		bounded, cancel := context.WithTimeout(ctx, 5*time.Second)
		defer cancel()
		if err := errors.Join(end(bounded), gone()); err != nil {
			fmt.Fprintln(t.log, "assay: stop the simulated host:", err)
		}
	}, nil
}

// reservedHeaders maps headers that the transport sets, or that only make sense for one connection, to the reason why
// --header refuses them.
var reservedHeaders = map[string]string{
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
		if why, reserved := reservedHeaders[name]; reserved {
			return nil, usage("certify --header %s: %s: leave it out", name, why)
		}
		if _, twice := out[name]; twice {
			return nil, usage("certify --header %s: it is given twice: join the values", name)
		}
		out[name] = value
	}
	return out, nil
}

// parseHeader splits h at the first colon or equals sign. It returns no error, because the value may be a secret.
func parseHeader(h string) (name, value string, ok bool) {
	i := strings.IndexAny(h, ":=")
	if i <= 0 {
		return "", "", false
	}
	name, value = http.CanonicalHeaderKey(h[:i]), strings.TrimSpace(h[i+1:])
	return name, value, isToken(h[:i]) && isHeaderValue(value)
}

// isToken reports whether s is a token of RFC 9110, as the name of a header must be.
func isToken(s string) bool {
	return consistsOf(s, "!#$%&'*+-.^_`|~")
}

// consistsOf reports whether s is not empty and holds only ASCII letters, digits and characters of others.
func consistsOf(s, others string) bool {
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
