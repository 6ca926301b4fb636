package main

import (
	"strings"

	"github.com/openassay/assay/simhost/param"
	"github.com/openassay/assay/tools/internal/protocols"
)

// specimen returns the simulated host to certify: an honest one with every feature, or one with the faults that --fault
// names. It returns nil for any other target.
func (o *certifyFlags) specimen(t target) (protocols.Specimen, error) {
	faults := param.Joined(o.faults)
	switch {
	case t.name != simulated && len(faults) > 0:
		return nil, usage("certify --fault %s: only the simulated host can be told to break a promise: "+
			"assay certify simhost --fault %[1]s", strings.Join(faults, ","))
	case t.name != simulated:
		return nil, nil
	case len(faults) == 0:
		return t.row.Honest()[0].Specimen, nil
	}
	for _, fault := range faults {
		if err := faultOf(t.row, fault); err != nil {
			return nil, err
		}
	}
	specimen, err := t.row.Faulty(faults)
	if err != nil {
		return nil, usage("certify --fault: %w", err)
	}
	return specimen, nil
}

// faultOf returns an error unless a host of the row can commit the fault. It says where a fault of another protocol belongs.
func faultOf(row *protocols.Row, fault string) error {
	_, err := row.Fault(fault)
	if err == nil {
		return nil
	}
	for _, other := range protocols.Table {
		_, foreign := other.Fault(fault)
		switch {
		case foreign != nil:
		case other.Hosted():
			return usage("certify --fault %s: the %s host does not have it: say --protocol %s", fault, row.Name(), other.Name())
		default:
			return usage("certify --fault %s: it is a fault of the %s: "+other.Misbehave, fault, other.Speaker, fault)
		}
	}
	return usage("certify --fault: %w", err)
}
