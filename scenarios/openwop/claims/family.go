package claims

import (
	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/wire"
)

func FamilyField(name, field string) func(scenarios.Discovery) wire.Value {
	return func(d scenarios.Discovery) wire.Value { return Family(d, name).Key(field) }
}

// Family returns a capability family of the document. RFC 0073 puts it at the root; the deprecated wrapper, which
// every host seen still sends, comes second.
func Family(d scenarios.Discovery, name string) wire.Value {
	if v := d.Document.Key(name); v.Present() {
		return v
	}
	if v := d.Document.Key("capabilities").Key(name); v.Present() {
		return v
	}
	return d.Document.Key(name)
}
