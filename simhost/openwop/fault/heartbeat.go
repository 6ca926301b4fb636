package fault

import (
	"github.com/openassay/assay/gen/openwop"
	"github.com/openassay/assay/gen/openwopv1"
	"github.com/openassay/assay/simhost/mutate"
	"github.com/openassay/assay/simhost/openwop/rules"
)

var heartbeatFaults = []Fault{
	{
		ID:     "heartbeat.change-not-told",
		Title:  "a heartbeat fires its run for a change and does not say so",
		Looks:  "changed is false for a state that is another one than before",
		Breaks: []string{openwop.OWPHBT1},
		Reply: mutate.On("POST /v1/host/sample/heartbeat/tick", mutate.Succeeded(mutate.At("", func(r *openwopv1.HeartbeatTickReply) {
			r.Changed = false
		}))),
	},
	{
		ID:     "heartbeat.every-look-a-change",
		Title:  "a heartbeat does not compare what it sees with what it saw",
		Looks:  "changed is true, and a run is fired, for the state of last time",
		Breaks: []string{openwop.OWPHBT2},
		Replace: func(s *rules.Set) {
			s.Heartbeat.Changed = func(string, string) bool { return true }
		},
	},
}
