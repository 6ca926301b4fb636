package fault

import (
	"sync"

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
	{
		ID:     "heartbeat.former-state-no-change",
		Title:  "a heartbeat knows each state that it ever saw, and takes none of them for a change",
		Looks:  "changed is false for a state that was there before the last one",
		Breaks: []string{openwop.OWPHBT1},
		Twin:   "only a state that comes back shows it",
		Replace: func(s *rules.Set) {
			var seen sync.Map
			s.Heartbeat.Changed = func(last, now string) bool {
				seen.Store(last, true)
				_, before := seen.Load(now)
				return !before
			}
		},
	},
}
