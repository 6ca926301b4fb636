// Package monitor judges the event logs of an OpenIntent server inside the server's own tests, or beside the server, while it writes them.
package monitor

import (
	"github.com/openassay/assay/scenarios/observed"
	"github.com/openassay/assay/scenarios/openintent"
)

// Monitor judges the logs of intents while they are written. It is to be handed the server's own events, not those of clients.
type Monitor = observed.Monitor

// New returns a monitor of a server. The discovery document says what the server claims.
func New(discovery []byte) (*Monitor, error) {
	return observed.NewMonitor(openintent.Protocol, discovery)
}
