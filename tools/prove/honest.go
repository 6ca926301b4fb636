package prove

import (
	"fmt"

	"github.com/openassay/assay/simhost/openwop"
	"github.com/openassay/assay/simhost/variation"
)

// Honest lists hosts that keep every promise they make: every rung of the ladder, each claim left off alone, what else an
// operator can choose, and each way in which honest hosts differ, alone and all at once. Their names are the flags of assay simhost that make them.
func Honest() []Host {
	hosts := []Host{{Name: "honest", Options: openwop.Options{Version: openwop.HighestVersion}}}
	add := func(name string, o openwop.Options) { hosts = append(hosts, Host{Name: name, Options: o}) }
	for v := 1; v <= openwop.HighestVersion; v++ {
		o := openwop.Options{Version: v}
		if v == openwop.DefaultVersion {
			o.Version = 0
		}
		add(fmt.Sprintf("--version %d", v), o)
	}
	for _, claim := range openwop.ClaimNames() {
		add("--without "+claim, openwop.Options{Without: []string{claim}})
	}
	for _, claim := range []string{"verifier", "verifierGating", "verifySeam", "dispatchMapping", "fixtures"} {
		add("--version 6 --without "+claim, openwop.Options{Version: 6, Without: []string{claim}})
	}
	add("--version 6 --max-loop-iterations 2", openwop.Options{Version: 6, MaxLoopIterations: 2})
	add("--max-loop-iterations 2", openwop.Options{MaxLoopIterations: 2})
	add("--max-loop-iterations 5", openwop.Options{MaxLoopIterations: 5})
	add("--max-node-executions 100", openwop.Options{MaxNodeExecutions: 100})
	add("--escalation-interrupt approval", openwop.Options{EscalationInterrupt: "approval"})
	add("--goal-judge verifier", openwop.Options{GoalJudge: "verifier"})
	for _, name := range append(variation.Names(), variation.All) {
		add("--version 6 --vary "+name, openwop.Options{Version: openwop.HighestVersion, Vary: []string{name}})
	}
	return hosts
}
