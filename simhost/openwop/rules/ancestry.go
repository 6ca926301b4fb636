package rules

import "github.com/openassay/assay/gen/openwopv1"

// Ancestry is what a host says of where runs come from, to clients and to other hosts (RFC 0040).
type Ancestry struct {
	// Serves tells whether ancestries are served, given whether the host advertises that it does.
	Serves func(advertised bool) bool

	// Of is the ancestry of a run: the host that it is on, and the run that started it, nil where none did.
	Of func(Kin) openwopv1.RunAncestryResponse

	// Trace is the trace that a worker on another host is asked for in, given that of its parent and what the host calls the
	// worker's run.
	Trace func(trace, child string) string

	// WellKnown is the address of its discovery document that the host gives to others, given the one that it has.
	WellKnown func(url string) string

	// Stops tells whether a child on another host is stopped with its parent.
	Stops func() bool
}

// Kin is where a run comes from.
type Kin struct {
	RunID       string
	HostID      string               // of this host
	ParentRunID string               // the run of this host that dispatched it, "" for none
	SourceRunID string               // the run that it is a fork of, "" for none
	Abroad      *openwopv1.RunParent // the run of another host that dispatched it, nil for none
}

func honestAncestry() Ancestry {
	return Ancestry{
		Serves: func(advertised bool) bool { return advertised },
		Of: func(k Kin) openwopv1.RunAncestryResponse {
			return openwopv1.RunAncestryResponse{RunID: k.RunID, HostID: k.HostID, Parent: parent(k)}
		},
		Trace:     func(trace, _ string) string { return trace },
		WellKnown: func(url string) string { return url },
		Stops:     func() bool { return true },
	}
}

// parent is the run that dispatched a run. A fork has a source and no parent: the protocol has no cause for it.
func parent(k Kin) *openwopv1.RunParent {
	switch {
	case k.Abroad != nil:
		return k.Abroad
	case k.ParentRunID != "":
		return &openwopv1.RunParent{RunID: k.ParentRunID, HostID: k.HostID, Cause: openwopv1.RunParentCauseCoreDispatch}
	}
	return nil
}
