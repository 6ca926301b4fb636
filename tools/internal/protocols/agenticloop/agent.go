// Package agenticloop holds the commands of the agentic loop: its reference agent as a plugin, and a gateway for
// plugins.
package agenticloop

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"

	"github.com/spf13/cobra"

	"github.com/openassay/assay/internal/nearest"
	"github.com/openassay/assay/internal/process"
	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/simhost/agenticloop/agent"
	"github.com/openassay/assay/simhost/agenticloop/fault"
	"github.com/openassay/assay/simhost/agenticloop/rules"
	"github.com/openassay/assay/simhost/agenticloop/variation"
	"github.com/openassay/assay/simhost/param"
	"github.com/openassay/assay/tools/internal/cli"
	"github.com/openassay/assay/tools/internal/faultflag"
)

const agentLong = `Runs the reference agent of the resumable agentic loop (RFC-103) for one turn, as
a gateway does: it reads one request from the standard input to its end, and
writes one answer to the standard output. The exit code is 0 whatever the answer
says, and 78 for a request of another protocol.

Its config says who decides: a list in script (planner: scripted), a model with
OpenAI's chat completions at base_url (planner: model), or without either a plain
plan that hints in starts and results can steer (planner: steered).`

type agentFlags struct {
	manifest string
	faults   faultflag.Flags
	vary     string
}

// NewAgent returns the command agent: the reference agent of the protocol.
func NewAgent() *cobra.Command {
	o := &agentFlags{}
	cmd := &cobra.Command{
		Use:     "agent",
		Short:   "Run a turn of the reference agent, as a plugin",
		Long:    agentLong,
		Example: "  assay agent < request.json\n  assay agent export ./agentic-loop",
		Args:    cobra.ArbitraryArgs, // RunE reports unknown subcommands
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) > 0 {
				return cli.Unknown("command", args[0], cli.CommandNames(cmd))
			}
			run, err := o.program()
			if err != nil {
				return err
			}
			if o.vary != "" {
				v, err := varied(o.vary)
				if err != nil {
					return err
				}
				run = v.Front(run)
			}
			if code := run(cmd.Context(), cmd.InOrStdin(), cmd.OutOrStdout(), cmd.ErrOrStderr()); code != 0 {
				return &cli.Exit{Code: code}
			}
			return nil
		},
	}
	cmd.Flags().StringVar(&o.manifest, "manifest", "", "`FILE` that names the plugin (default that of "+agent.DefaultName+")")
	o.faults.Register(cmd.Flags())
	cmd.Flags().StringVar(&o.vary, "vary", "", varyUsage)
	cmd.AddCommand(newAgentExport())
	return cmd
}

func (o *agentFlags) program() (fault.Program, error) {
	if err := knownFaults(&o.faults); err != nil {
		return nil, err
	}
	var options agent.Options
	if o.manifest != "" {
		content, err := os.ReadFile(o.manifest)
		if err != nil {
			return nil, cli.Usage("agent --manifest %s: %w: name the manifest of the plugin", o.manifest, err)
		}
		if options.Name, err = agent.ReadName(content); err != nil {
			return nil, cli.Usage("agent --manifest %s: %w", o.manifest, err)
		}
	}
	return fault.Agent(func(by *rules.Set) fault.Program {
		options.Rules = by
		return agent.New(options).Run
	}, o.faults.Specs...)
}

const varyUsage = "way to differ from the usual agent without being wrong, by its `ID`"

func varied(id string) (variation.Variation, error) {
	v, err := variation.Find(id)
	if err != nil {
		return v, cli.Usage("agent --vary: %w", err)
	}
	return v, nil
}

func knownFaults(flags *faultflag.Flags) error {
	err := flags.Settle(func(spec string) ([]param.Param, error) {
		id, _ := param.Split(spec)
		if known := fault.IDs(); !slices.Contains(known, id) {
			return nil, &scenarios.UsageError{Kind: "fault", Name: id, Near: nearest.Name(id, known)}
		}
		f, err := fault.Find(spec)
		return f.Params(), err
	})
	if _, ok := errors.AsType[*scenarios.UsageError](err); err != nil && !ok {
		return cli.Usage("agent --fault: %w", err)
	}
	return err
}

// noteReach warns early if the user that runs plugins cannot start this program.
func noteReach(w io.Writer, self string) {
	if err := process.Reach(self); err != nil {
		cli.Report(w, fmt.Errorf("note: these plugins start %s: %w", self, err))
	}
}

func newAgentExport() *cobra.Command {
	p := agent.Profile{Revision: agent.Revisions[0]}
	var faults faultflag.Flags
	var vary string
	cmd := &cobra.Command{
		Use:   "export DIR",
		Short: "Write the reference agent as a plugin folder",
		Long: "Writes a manifest, an executable that starts this very program, and a profile that says how to\n" +
			"certify it: assay certify DIR. Files of these names are replaced.",
		Example: "  assay agent export ./agentic-loop",
		Args:    cli.Args("DIR"),
		RunE: func(cmd *cobra.Command, dirs []string) error {
			if !slices.Contains(agent.Revisions, p.Revision) {
				return cli.Unknown("revision", p.Revision, agent.Revisions)
			}
			for _, name := range p.Without {
				if !slices.Contains(agent.Declarable(), name) {
					return cli.Unknown("capability or seam", name, agent.Declarable())
				}
			}
			if err := knownFaults(&faults); err != nil {
				return err
			}
			arguments := []string{"agent"}
			for _, id := range faults.Specs {
				arguments = append(arguments, "--fault", id)
			}
			var v variation.Variation
			if vary != "" {
				var err error
				if v, err = varied(vary); err != nil {
					return err
				}
				arguments = append(arguments, "--vary", vary)
			}
			self, err := os.Executable()
			if err != nil {
				return fmt.Errorf("agent export: find this program: %w", err)
			}
			if p.Manifest, err = fault.Manifest(faults.Specs...); err != nil {
				return err
			}
			noteReach(cmd.ErrOrStderr(), self)
			if err := agent.Export(dirs[0], p, self, arguments...); err != nil {
				return fmt.Errorf("agent export: %w: name a folder that can be written", err)
			}
			if err := v.Declare(filepath.Join(dirs[0], agent.ProfileFile)); err != nil {
				return fmt.Errorf("agent export: %w", err)
			}
			_, err = fmt.Fprintf(cmd.OutOrStdout(), "plugin %s in %s, started by %s\n", agent.DefaultName, dirs[0], filepath.Join(dirs[0],
				agent.EntrypointFile))
			return err
		},
	}
	faults.Register(cmd.Flags())
	cmd.Flags().StringVar(&vary, "vary", "", varyUsage)
	cmd.Flags().StringSliceVar(&p.Without, "without", nil,
		"`NAMES` of capabilities and seams that the profile leaves off, separated by commas")
	cmd.Flags().StringVar(&p.Revision, "revision", p.Revision,
		"`REVISION` of the protocol that the profile names: 2026-02, with workspaces, or 2026-06")
	return cmd
}
