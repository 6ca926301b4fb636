package dialect

import (
	"sync"

	"github.com/openassay/assay/internal/validate"
	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/wire"
)

// contracts are the schemas of the dialects that were asked for one: nobody else waits for them to be read.
var contracts sync.Map // *Dialect -> func() (*validate.Set, error)

// Schema is the schema of a component of the version's contract.
func (d *Dialect) Schema(component string) (*validate.Schema, error) {
	read, _ := contracts.LoadOrStore(d, sync.OnceValues(func() (*validate.Set, error) { return validate.Embedded(d.Contract()) }))
	set, err := read.(func() (*validate.Set, error))()
	if err != nil {
		return nil, err
	}
	return set.Component(component)
}

// FindSlips notes where the payload of an event departs from its schema, where
// that is not the question.
func FindSlips(j *scenarios.Judge, id scenarios.RequirementID, e wire.Value) {
	d, event := Of(e), EventOf(e)
	schema, err := d.Schema(d.Payload(event))
	if err != nil {
		return
	}
	for _, problem := range schema.ValidateValue(e.Key("payload").Actual()) {
		j.Find(id, "the payload of %s is not as its schema has it: %s", d.Word(event), problem)
	}
}
