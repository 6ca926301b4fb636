package main

import "github.com/openassay/assay/tools/internal/protocols"

// specimen returns the simulated host to certify: an honest one with every feature, or one with the fault that --fault
// names. It returns nil for any other target.
func (o *certifyFlags) specimen(t target) (protocols.Specimen, error) {
	switch {
	case t.name != simulated && o.fault != "":
		return nil, usage("certify --fault %s: only the simulated host can be told to break a promise: "+
			"assay certify simhost --fault %[1]s", o.fault)
	case t.name != simulated:
		return nil, nil
	case o.fault == "":
		return t.row.Honest()[0].Specimen, nil
	}
	f, err := t.row.Fault(o.fault)
	if err == nil {
		return f.Specimen, nil
	}
	for _, row := range protocols.Table {
		_, foreign := row.Fault(o.fault)
		switch {
		case foreign != nil:
		case row.Hosted():
			return nil, usage("certify --fault %s: the %s host does not have it: say --protocol %s", o.fault, t.row.Name(), row.Name())
		default:
			return nil, usage("certify --fault %s: it is a fault of the %s: "+row.Misbehave, o.fault, row.Speaker, o.fault)
		}
	}
	return nil, usage("certify --fault: %w", err)
}
