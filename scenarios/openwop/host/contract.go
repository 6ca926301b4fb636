package host

import (
	"sync"

	"github.com/openassay/assay/scenarios/openwop/dialect"

	"github.com/openassay/assay/gen/openwopv1"
	"github.com/openassay/assay/internal/validate"
	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/wire"
)

// FindSlips notes where the payload of an event departs from its schema, where
// that is not the question.
func FindSlips(j *scenarios.Judge, id scenarios.RequirementID, e wire.Value) {
	t := dialect.Event(e.Key("type").String())
	schema, err := ContractSchema(openwopv1.Events[t].Component)
	if err != nil {
		return
	}
	for _, problem := range schema.ValidateValue(e.Key("payload").Actual()) {
		j.Find(id, "the payload of %s is not as its schema has it: %s", t, problem)
	}
}

// contract is read when a document is first compared with it, not at start.
var contract = sync.OnceValues(func() (*validate.Set, error) { return validate.Embedded(openwopv1.Bundled()) })

// ContractSchema is the schema of a component of the contract.
func ContractSchema(component string) (*validate.Schema, error) {
	set, err := contract()
	if err != nil {
		return nil, err
	}
	return set.Component(component)
}
