package claims

import (
	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/wire"
)

func FamilyField(name, field string) func(scenarios.Discovery) wire.Value {
	return func(d scenarios.Discovery) wire.Value { return Family(d, name).Key(field) }
}

// Family is a capability family of the document: at the root, where RFC 0073
// puts it, else in the deprecated wrapper that every host seen still sends.
func Family(d scenarios.Discovery, name string) wire.Value {
	if v := d.Document.Key(name); v.Present() {
		return v
	}
	if v := d.Document.Key("capabilities").Key(name); v.Present() {
		return v
	}
	return d.Document.Key(name)
}
