package main

import (
	"slices"

	agentfault "github.com/openassay/assay/simhost/agent/fault"
	"github.com/openassay/assay/simhost/fault"
	intentfault "github.com/openassay/assay/simhost/openintent/fault"
	"github.com/openassay/assay/simhost/openwop"
	"github.com/openassay/assay/tools/prove"
)

// breaks has the simulated host that is to be certified commit the violation that --fault names.
func (o *certifyFlags) breaks(t *target) error {
	if o.fault == "" {
		return nil
	}
	if t.name != simulated {
		return usage("certify --fault %s: only the simulated host can be told to break a promise: assay certify simhost --fault %[1]s", o.fault)
	}
	find, others, other := faultOf(fault.Find), intentfault.IDs(), protocolOpenIntent
	if t.protocol == protocolOpenIntent {
		find, others, other = faultOf(intentfault.Find), fault.IDs(), protocolOpenWOP
	}
	err := find(o.fault)
	switch {
	case err == nil:
		t.fault = o.fault
		return nil
	case slices.Contains(others, o.fault):
		return usage("certify --fault %s: the %s host does not have it: say --protocol %s", o.fault, t.protocol, other)
	case slices.Contains(agentfault.IDs(), o.fault):
		return usage("certify --fault %s: it is a fault of the reference agent: assay agent export DIR --fault %[1]s, and then assay certify DIR", o.fault)
	}
	return usage("certify --fault: %w", err)
}

// faultOf is whether a catalogue has a fault.
func faultOf[F any](find func(string) (F, error)) func(string) error {
	return func(id string) error {
		_, err := find(id)
		return err
	}
}

// breakingOptions are those of a simulated host that commits a fault, on which it shows, with the principals of another.
func breakingOptions(honest openwop.Options, id string) (openwop.Options, error) {
	f, err := fault.Find(id)
	if err != nil {
		return honest, err
	}
	o := prove.Faulty(f).Options
	o.Key, o.Tenants, o.Voters, o.LowScopeKey = honest.Key, honest.Tenants, honest.Voters, honest.LowScopeKey
	return o, nil
}
