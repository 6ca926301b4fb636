package scenarios

import (
	"context"
	"encoding/json"

	"github.com/openassay/assay/scenarios/wire"
)

// Advertised returns a question about the discovery document alone.
func Advertised(judge func(Discovery, *Judge)) Question { return advertised(judge) }

type advertised func(Discovery, *Judge)

func (advertised) Drive() (DriveMeta, bool)                           { return DriveMeta{}, false }
func (advertised) run(context.Context, *Conn) (any, error)            { return nil, nil }
func (advertised) resume(context.Context, *Conn, []byte) (any, error) { return nil, nil }
func (advertised) revive([]byte, *wire.Transcript) (any, error)       { return nil, nil }
func (a advertised) judge(observation any, j *Judge)                  { a(observed[Discovery](observation), j) }
func (advertised) read(raw []byte) (any, error) {
	d := new(Discovery)
	return d, json.Unmarshal(raw, d)
}

// Advertised returns the scenarios of the suite that ask about the discovery document alone.
func (s Suite) Advertised() (all []Scenario) {
	for _, sc := range s.Scenarios {
		if _, is := sc.Ask.(advertised); is {
			all = append(all, sc)
		}
	}
	return all
}

// HoldAdvertised holds a discovery document, which a drive read, to the scenarios of the suite that ask about nothing else, as far as
// their claims are made.
func (s Suite) HoldAdvertised(d Discovery, drive string, see func(Sight)) {
	for _, sc := range s.Advertised() {
		if sc.Claim.Look != nil {
			if _, made := sc.Claim.Look(d); !made {
				continue
			}
		}
		Conclude(sc, s.Protocol.Ledger, d).Sights(s.Protocol.Ledger, drive, s.Protocol.DiscoveryPath, false, see)
	}
}
