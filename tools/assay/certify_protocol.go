package main

import (
	"context"
	"errors"
	"slices"

	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/wire"
	"github.com/openassay/assay/simhost/param"
	"github.com/openassay/assay/tools/internal/protocols"
)

// suitesOf returns the suites of a protocol that apply to a target.
func suitesOf(row *protocols.Row, t target) []scenarios.Suite {
	if t.kind.Target != nil {
		return t.kind.Suites()
	}
	return row.Targets[0].Suites()
}

// candidates returns the protocols that a target may speak. The most likely one comes first.
func (o *certifyFlags) candidates(t target) ([]*protocols.Row, error) {
	may, what := protocols.Hosts(), "a base URL"
	switch {
	case t.kind.Target != nil:
		may, what = []*protocols.Row{t.kind.Row}, "a "+t.kind.Name
	case t.name == simulated:
		what = simulated
	}
	if o.protocol == "" && t.name == simulated {
		for _, row := range may {
			if slices.ContainsFunc(param.Joined(o.faults), func(spec string) bool { _, err := row.Fault(spec); return err == nil }) {
				return []*protocols.Row{row}, nil
			}
		}
		return may[:1], nil
	}
	if o.protocol == "" {
		return may, nil
	}
	row := protocols.Named(o.protocol)
	switch {
	case row == nil:
		return nil, unknown("protocol", o.protocol, protocols.Names(protocols.All()))
	case !slices.Contains(may, row):
		return nil, usage("certify --protocol %s: %s is certified for %s: leave --protocol out, or name another target",
			o.protocol, what, protocols.OrList(protocols.Names(may)))
	}
	return []*protocols.Row{row}, nil
}

// choose keeps the protocols whose suites have the selected scenarios: a name that only one protocol knows settles the
// question.
func (c *certify) choose(rows []*protocols.Row, salt string) error {
	var all []scenarios.Suite
	var fit [][]scenarios.Suite
	for _, row := range rows {
		suites, err := scenarios.Salted(salt, suitesOf(row, c.target))
		if err != nil {
			return usage("certify --salt: %w", err)
		}
		all = append(all, suites...)
		if _, err := c.options.Select.Pick(suites...); !isUsage(err) {
			fit = append(fit, suites)
		}
	}
	if len(fit) == 0 {
		_, err := c.options.Select.Pick(all...)
		if err == nil { // every name is known, but no one protocol knows all of them
			return usage("certify: the selection mixes suites, scenarios, requirements or claims of several protocols: name one " +
				"protocol with --protocol")
		}
		return notSelected(err)
	}
	c.suites, c.others = fit[0], fit[1:]
	return nil
}

// saltedRows returns those protocols that have fixtures, if a salt is given. Only their names follow from it.
func (o *certifyFlags) saltedRows(rows []*protocols.Row) ([]*protocols.Row, error) {
	if o.salt == "" {
		return rows, nil
	}
	var out []*protocols.Row
	for _, row := range rows {
		if row.Protocol.Salted != nil {
			out = append(out, row)
		}
	}
	if len(out) == 0 {
		return nil, usage("certify --salt: %s has no fixtures whose names could be drawn: leave it out", rows[0].Name())
	}
	return out, nil
}

func isUsage(err error) bool {
	var mistake *scenarios.UsageError
	return errors.As(err, &mistake)
}

// detect asks the target which protocol it speaks if several are left.
func (c *certify) detect(ctx context.Context, t wire.Target) error {
	if len(c.others) == 0 {
		return nil
	}
	candidates := append([][]scenarios.Suite{c.suites}, c.others...)
	values := make([]*scenarios.Protocol, len(candidates))
	for i, suites := range candidates {
		values[i] = suites[0].Protocol
	}
	speaks, err := scenarios.Detect(ctx, t, c.options, values...)
	if err != nil {
		return err
	}
	c.suites = candidates[slices.Index(values, speaks)]
	return nil
}
