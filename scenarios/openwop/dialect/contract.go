package dialect

import (
	"sync"

	"github.com/openassay/assay/internal/validate"
	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/wire"
)

// contracts caches the schemas of each dialect, read at first use.
var contracts sync.Map // *Dialect -> func() (*validate.Set, error)

// Schema returns the schema of a component of the version's contract.
func (d *Dialect) Schema(component string) (*validate.Schema, error) {
	read, _ := contracts.LoadOrStore(d, sync.OnceValues(func() (*validate.Set, error) { return validate.Embedded(d.Contract()) }))
	set, err := read.(func() (*validate.Set, error))()
	if err != nil {
		return nil, err
	}
	return set.Component(component)
}

// FindSlips reports where an event's payload departs from its schema. It serves judges that ask about something
// else; id is a SHOULD, like OWP-EVT-8, or "".
func FindSlips(j *scenarios.Judge, id scenarios.RequirementID, e wire.Value) {
	d, event := Of(e), EventOf(e)
	schema, err := d.Schema(d.Payload(event))
	if err != nil {
		return
	}
	for _, problem := range schema.ValidateValue(e.Key("payload").Actual()) {
		j.Find(id, "the payload of %s does not match its schema: %s", d.Word(event), problem)
	}
}
