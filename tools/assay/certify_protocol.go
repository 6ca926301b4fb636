package main

import (
	"context"
	"errors"
	"slices"

	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/agenticloop"
	"github.com/openassay/assay/scenarios/openintent"
	"github.com/openassay/assay/scenarios/openwop"
	"github.com/openassay/assay/scenarios/wire"
	intentfault "github.com/openassay/assay/simhost/openintent/fault"
)

// The names that --protocol takes.
const (
	protocolOpenWOP     = "openwop"
	protocolOpenIntent  = "openintent"
	protocolAgenticLoop = "agentic-loop"
)

var protocolNames = []string{protocolOpenWOP, protocolOpenIntent, protocolAgenticLoop}

// suitesOf are the suites of a protocol that a target is asked, by the name that --protocol has for it.
func suitesOf(protocol string, t target) []scenarios.Suite {
	switch {
	case t.resolver:
		return openintent.ResolverSuites()
	case protocol == protocolAgenticLoop:
		return agenticloop.Suites()
	case protocol == protocolOpenIntent:
		return openintent.ServerSuites()
	}
	return openwop.Suites()
}

// spoken are the names of the protocols that a target may speak, the one that is meant first.
func (o *certifyFlags) spoken(t target) ([]string, error) {
	may, what := []string{protocolOpenWOP, protocolOpenIntent}, "a base URL"
	switch {
	case t.resolver:
		may, what = []string{protocolOpenIntent}, "a resolver"
	case t.wire.Process != nil:
		may, what = []string{protocolAgenticLoop}, "a plugin"
	case t.name == simulated:
		what = simulated
	}
	switch {
	case o.protocol == "" && t.name == simulated && slices.Contains(intentfault.IDs(), o.fault):
		return []string{protocolOpenIntent}, nil
	case o.protocol == "" && t.name == simulated:
		return may[:1], nil
	case o.protocol == "":
		return may, nil
	case !slices.Contains(protocolNames, o.protocol):
		return nil, unknown("protocol", o.protocol, protocolNames)
	case !slices.Contains(may, o.protocol):
		return nil, usage("certify --protocol %s: %s is certified for %s: leave --protocol out, or name another target", o.protocol, what, orJoin(may))
	}
	return []string{o.protocol}, nil
}

func orJoin(names []string) string {
	if len(names) == 1 {
		return names[0]
	}
	return names[0] + " or " + names[1]
}

// choose takes the protocols whose suites have what is selected: a name that only one of them knows says which is meant.
func (c *certify) choose(names []string) error {
	var all []scenarios.Suite
	var fit [][]scenarios.Suite
	for _, name := range names {
		suites := suitesOf(name, c.target)
		all = append(all, suites...)
		if _, err := c.options.Select.Pick(suites...); !isUsage(err) {
			fit = append(fit, suites)
		}
	}
	if len(fit) == 0 {
		_, err := c.options.Select.Pick(all...)
		if err == nil { // each name is known, but not to one protocol
			return usage("certify: the selection mixes suites, scenarios, requirements or claims of several protocols: name one protocol with --protocol")
		}
		return notSelected(err)
	}
	c.suites, c.perhaps = fit[0], fit[1:]
	return nil
}

func isUsage(err error) bool {
	var mistake *scenarios.UsageError
	return errors.As(err, &mistake)
}

// detect asks the target which of the protocols it speaks, where that is open.
func (c *certify) detect(ctx context.Context, t wire.Target) error {
	if len(c.perhaps) == 0 {
		return nil
	}
	candidates := append([][]scenarios.Suite{c.suites}, c.perhaps...)
	protocols := make([]*scenarios.Protocol, len(candidates))
	for i, suites := range candidates {
		protocols[i] = suites[0].Protocol
	}
	speaks, err := scenarios.Detect(ctx, t, c.options, protocols...)
	if err != nil {
		return err
	}
	c.suites = candidates[slices.Index(protocols, speaks)]
	return nil
}
