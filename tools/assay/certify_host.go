package main

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/spf13/pflag"

	"github.com/openassay/assay/internal/textsafe"
	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/mortal"
	"github.com/openassay/assay/scenarios/wire"
)

// hostFlag is the command that starts the target, so that it can be killed.
type hostFlag struct {
	command string
	words   []string // nil if the target is not killed
}

func (h *hostFlag) register(f *pflag.FlagSet) {
	f.StringVar(&h.command, "host-cmd", "",
		"`COMMAND` that starts the host at TARGET, which is then killed at drawn moments, and started again")
}

// check reads the words of the command for a target.
func (h *hostFlag) check(given func(string) bool, at target, plan bool) error {
	words, closed := shellWords(h.command)
	switch {
	case !given("host-cmd"):
		return nil
	case !closed:
		return usage("certify --host-cmd %q: a quote is not closed", h.command)
	case len(words) == 0:
		return usage("certify --host-cmd: name a program and its arguments")
	case at.specimen != nil || at.kind.Target != nil:
		return usage("certify --host-cmd: TARGET is to be the base URL at which the command has the host listen")
	case plan:
		return usage("certify --plan sends nothing, so there is nothing to kill: leave out --host-cmd")
	case given("launch") || given("check"):
		return usage("certify --host-cmd: the host ends with the certification, and nothing is left running: leave out --launch and --check")
	}
	h.words = words
	return nil
}

const (
	hostStart = 20 * time.Second // that a host has to start, beside patience
	killSpell = 8 * time.Second  // for which each drive kills it again and again
	slowSpell = 30 * time.Second // the same with the time in which it starts again
)

// startHost starts the target if there is a command for it.
func (c *certify) startHost(ctx context.Context) (stop func(), err error) {
	if c.host.words == nil {
		return func() {}, nil
	}
	client := &http.Client{Transport: &http.Transport{}}
	if file := c.target.wire.CAFile; file != "" {
		trusted, err := wire.Trust(file)
		if err != nil {
			return nil, usage("certify: %w", err)
		}
		client.Transport = &http.Transport{TLSClientConfig: trusted}
	}
	url := strings.TrimSuffix(c.target.wire.URL, "/") + c.suites[0].Protocol.DiscoveryPath
	c.options.Mortal, err = mortal.Start(ctx, c.host.words, url, client, c.options.Patience+hostStart)
	if err != nil {
		return nil, &exit{Code: scenarios.ExitUnreachable, Cause: fmt.Errorf("certify --host-cmd: %w", err)}
	}
	c.options.Mortal.Spell, c.options.Mortal.Most = killSpell, slowSpell
	return c.options.Mortal.Stop, nil
}

// kills tells how often the target was killed, in a line; "" if it is not to be.
func (c *certify) kills() string {
	if c.options.Mortal == nil {
		return ""
	}
	return "the host was killed " + textsafe.Count(c.options.Mortal.Deaths(), "time") + ", and started again\n"
}
