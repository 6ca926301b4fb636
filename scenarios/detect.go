package scenarios

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/openassay/assay/scenarios/wire"
)

// Detect returns the first of these protocols whose discovery document the target serves. The error is
// [ErrUnreachable], or [ErrNoDiscovery] if it serves none.
func Detect(ctx context.Context, target wire.Target, o Options, protocols ...*Protocol) (*Protocol, error) {
	o = o.withDefaults()
	network, err := wire.NewNetwork(target, wire.Options{Limits: *o.Limits, Rate: o.Rate})
	if err != nil {
		return nil, err
	}
	client := network.Client(discoveryDrive)
	defer client.Close()
	var asked, why []string
	for _, p := range protocols {
		declared, err := client.Discover(ctx, p.DiscoveryPath)
		if err != nil && !errors.Is(err, wire.ErrOverLimit) && !errors.Is(err, wire.ErrUnreadable) {
			return nil, fmt.Errorf("%w: %s: %s", ErrUnreachable, network.Address(), cleaned(err.Error(), network.Redactor().Clean))
		}
		asked = append(asked, p.DiscoveryPath)
		if err != nil {
			why = append(why, cleaned(err.Error(), network.Redactor().Clean))
		}
		if _, isObject := declared.Document.Actual().(map[string]any); err == nil && declared.Found && isObject {
			lacks := p.lacks(declared.Document)
			if lacks == "" {
				return p, nil
			}
			why = append(why, fmt.Sprintf("GET %s answered JSON that has no %s, so it is no host of %s", p.DiscoveryPath, lacks, p.ID))
		}
	}
	if len(why) > 0 {
		return nil, fmt.Errorf("%w: %s: %s", ErrNoDiscovery, network.Address(), strings.Join(why, "; "))
	}
	return nil, fmt.Errorf("%w: GET %s at %s: no answer is a JSON object: is this the base URL of a host?",
		ErrNoDiscovery, strings.Join(asked, " and "), network.Address())
}
