package main

import (
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/openassay/assay/simhost/console"
	"github.com/openassay/assay/tools/internal/protocols"
)

const clockLong = `Tells and moves the clock of a simulated host that runs.

With --clock manual it stands still until it is moved. With --clock skip it jumps
to what is due next when everything waits, and can be moved as well. Time can also
pass for a single thing of any host, whatever moves the host's own clock: for %s.`

// newClock makes the command that asks for the clock of a running host.
func (o *simhostFlags) newClock() *cobra.Command {
	things := o.things()
	named := make([]string, len(things))
	for i, thing := range things {
		named[i] = article(thing)
	}
	cmd := &cobra.Command{
		Use: "clock", Short: "Tell or move the clock of a simulated host that runs", Long: fmt.Sprintf(clockLong, protocols.OrList(named)),
		Args: cobra.ArbitraryArgs, RunE: group("command of simhost clock"),
	}
	cmd.AddCommand(newClockShow(), newClockAdvance(things))
	return cmd
}

func article(noun string) string {
	if strings.ContainsRune("aeiou", rune(noun[0])) {
		return "an " + noun
	}
	return "a " + noun
}

// things returns the kinds of what has a clock of its own, of all protocols.
func (o *simhostFlags) things() (all []string) {
	for _, h := range o.hosts {
		all = append(all, h.Things()...)
	}
	return all
}

func newClockShow() *cobra.Command {
	var host running
	cmd := &cobra.Command{
		Use: "show", Short: "Tell what time it is on the host, and what moves its clock", Example: "  assay simhost clock show", Args: args(),
		RunE: func(cmd *cobra.Command, _ []string) error {
			var state console.ClockState
			if err := host.answer(cmd.Context(), "simhost clock show", console.PathClock, nil, &state); err != nil {
				return err
			}
			_, err := fmt.Fprintf(cmd.OutOrStdout(), "%s  --clock %s\n", state.Now.UTC().Format(time.RFC3339), safe(state.Kind))
			return err
		},
	}
	host.register(cmd.Flags())
	return cmd
}

func newClockAdvance(things []string) *cobra.Command {
	var host running
	ids := make([]string, len(things))
	cmd := &cobra.Command{
		Use: "advance TIME", Short: "Let time pass on the host, or for one thing of it",
		Long: `Lets time pass, such as 90s, 5m or 24h, and prints the time that it then is. What
falls due on the way happens: delays, timeouts, reminders, schedules. 720h are the
most at once.`,
		Example: "  assay simhost clock advance 2h\n  assay simhost clock advance 2h --" + things[0] + " ID",
		Args:    args("TIME"),
		RunE: func(cmd *cobra.Command, typed []string) error {
			p := console.Passage{By: typed[0]}
			for i, id := range ids {
				switch {
				case !cmd.Flags().Changed(things[i]):
				case p.Thing != "":
					return usage("simhost clock advance: --%s and --%s: time passes for one thing at a time: give one", p.Thing, things[i])
				case id == "":
					return usage("simhost clock advance --%s: give an id", things[i])
				default:
					p.Thing, p.ID = things[i], id
				}
			}
			if _, ok := console.ParseStep(p.By); !ok {
				return usage("simhost clock advance %q: give how far as 90s, 5m or 24h, by 720h at most: a clock does not go back", p.By)
			}
			var state console.ClockState
			if err := host.answer(cmd.Context(), "simhost clock advance", console.PathClock, p, &state); err != nil {
				return err
			}
			_, err := fmt.Fprintln(cmd.OutOrStdout(), state.Now.UTC().Format(time.RFC3339))
			return err
		},
	}
	for i, thing := range things {
		cmd.Flags().StringVar(&ids[i], thing, "", "`ID` of "+article(thing)+" for which alone time passes")
	}
	host.register(cmd.Flags())
	return cmd
}
