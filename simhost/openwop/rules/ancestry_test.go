package rules

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/openassay/assay/gen/openwopv1"
)

func TestHonestParents(t *testing.T) {
	abroad := &openwopv1.RunParent{RunID: "far", HostID: "other", WellKnownURL: "http://other/.well-known/openwop",
		Cause: openwopv1.RunParentCauseCoreDispatch}
	for what, c := range map[string]struct {
		kin  Kin
		want *openwopv1.RunParent
	}{
		"nobody's": {Kin{RunID: "r", HostID: "here"}, nil},
		"a fork":   {Kin{RunID: "r", HostID: "here", SourceRunID: "s"}, nil},
		"a child": {Kin{RunID: "r", HostID: "here", ParentRunID: "p"}, &openwopv1.RunParent{RunID: "p", HostID: "here",
			Cause: openwopv1.RunParentCauseCoreDispatch}},
		"a child from abroad": {Kin{RunID: "r", HostID: "here", Abroad: abroad}, abroad},
	} {
		if diff := cmp.Diff(c.want, Honest().Ancestry.Of(c.kin).Parent); diff != "" {
			t.Errorf("%s: (-want +got)\n%s", what, diff)
		}
	}
}

func TestHonestAncestry(t *testing.T) {
	a := Honest().Ancestry
	for _, c := range []struct {
		rule string
		ok   bool
	}{
		{"served where it is advertised", a.Serves(true) && !a.Serves(false)},
		{"a run is on this host", a.Of(Kin{RunID: "r", HostID: "here"}) == openwopv1.RunAncestryResponse{RunID: "r", HostID: "here"}},
		{"one trace", a.Trace("t", "c") == "t"},
		{"the address is given", a.WellKnown("u") == "u"},
		{"all below are stopped", a.Stops()},
	} {
		if !c.ok {
			t.Errorf("not so: %s", c.rule)
		}
	}
}
