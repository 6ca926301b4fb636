package eventlog

import (
	"fmt"
	"slices"
	"strings"

	"github.com/onsi/gomega/types"

	"github.com/openassay/assay/gen/openwop"
	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/check"
	"github.com/openassay/assay/scenarios/openwop/dialect"
	"github.com/openassay/assay/scenarios/openwop/host"
	"github.com/openassay/assay/scenarios/wire"
)

// typesWithSchema returns the types on these logs whose payload has a schema,
// without duplicates.
func typesWithSchema(logs ...host.RunLog) []dialect.Event {
	var out []dialect.Event
	for _, l := range logs {
		for _, e := range l.Events {
			if t := dialect.EventOf(e); dialect.Of(e).Payload(t) != "" {
				out = append(out, t)
			}
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// CheckPayloads checks the payloads of every type against its schema, if it has
// one.
func CheckPayloads(j *scenarios.Judge, logs ...host.RunLog) {
	for _, t := range typesWithSchema(logs...) {
		var payloads wire.Found
		for _, l := range logs {
			if of := l.OfType(t); len(of.Values) > 0 {
				payloads = wire.Found{Values: append(payloads.Values, of.Values...), In: of.In}
			}
		}
		j.Check(openwop.OWPEVT8, payloads.Each("/payload")).To(fitting(t), "payload of %s", t)
	}
}

// fitting expects payloads that match the schema of their type.
func fitting(t dialect.Event) dialect.Spelled {
	return dialect.Spelling(func(d *dialect.Dialect) types.GomegaMatcher { return fittingSchema(d, d.Payload(t)) })
}

func fittingSchema(d *dialect.Dialect, component string) check.Matcher {
	return check.Seeing("as "+component+" has it", func(s wire.Seen) (bool, string) {
		schema, err := d.Schema(component)
		if err != nil {
			return false, "not compared: " + err.Error()
		}
		payloads, _ := s.Actual().([]any)
		var said []string
		wrong := 0
		for _, p := range payloads {
			problems := schema.ValidateValue(p)
			if len(problems) > 0 {
				wrong++
			}
			for _, problem := range problems {
				if text := problem.String(); !slices.Contains(said, text) {
					said = append(said, text)
				}
			}
		}
		if wrong == 0 {
			return true, fmt.Sprintf("%d of them", len(payloads))
		}
		const most = 4
		if len(said) > most {
			said = append(said[:most], fmt.Sprintf("and %d more", len(said)-most))
		}
		return false, fmt.Sprintf("%s (%d of %d)", strings.Join(said, "; "), wrong, len(payloads))
	})
}
