// Package monitor judges the event logs of an OpenWOP host inside the host's own tests, or beside the host, while it writes them.
package monitor

import (
	"github.com/openassay/assay/scenarios/observed"
	"github.com/openassay/assay/scenarios/openwop"
)

// Monitor judges logs while they are written. Runs that are forks are to be named: see [observed.Monitor.Fork].
type Monitor = observed.Monitor

// New returns a monitor of a host. The discovery document says what the host claims; it is what the host serves at
// /.well-known/openwop.
func New(discovery []byte) (*Monitor, error) { return observed.NewMonitor(openwop.Protocol, discovery) }
