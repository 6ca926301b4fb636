package prove_test

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"testing"

	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/simhost/agenticloop/agent"
	"github.com/openassay/assay/simhost/agenticloop/fault"
	"github.com/openassay/assay/simhost/agenticloop/rules"
	"github.com/openassay/assay/tools/prove"
	"github.com/openassay/assay/tools/prove/manners"
)

// agentProcess is what assay agent --fault ID does. A fault that shows in a process alone is proved with this very program,
// and that is the one of the tests here.
func agentProcess(arguments []string) int {
	var faults []string
	flags := flag.NewFlagSet("agent", flag.ExitOnError)
	flags.Func("fault", "its id", func(id string) error { faults = append(faults, id); return nil })
	flags.String("manifest", "", "file that names the plugin, which the tests do not change")
	_ = flags.Parse(arguments) // it exits
	run, err := fault.Agent(func(by *rules.Set) fault.Program { return agent.New(agent.Options{Rules: by}).Run }, faults...)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	if text := os.Getenv(manneredAs); text != "" {
		var m manners.Manners
		if err := json.Unmarshal([]byte(text), &m); err != nil {
			fmt.Fprintln(os.Stderr, err)
			return 1
		}
		run = m.Program(run)
	}
	return run(context.Background(), os.Stdin, os.Stdout, os.Stderr)
}

// manneredAs is the variable with the manners of a plugin, as JSON.
const manneredAs = "ASSAY_TEST_MANNERS"

// A program that a turn calls is seen where the turn is a process, which is started by a copy of this program.
func TestAFaultThatShowsInAProcessAlone(t *testing.T) {
	t.Parallel()
	hosts, err := prove.Matching("agent.waits-for-the-tool")
	if err != nil {
		t.Fatal(err)
	}
	const asked = "agenticloop/security/no-nested-dispatch"
	r, err := lab.Certify(t.Context(), hosts[1], scenarios.Options{Seed: 1, Select: scenarios.Selection{Scenarios: []string{asked}}})
	if err != nil {
		t.Fatal(err)
	}
	if len(r.Outcomes) != 1 || r.Outcomes[0].Verdict != scenarios.Failed {
		t.Errorf("%s: %+v", asked, r.Outcomes)
	}
}
