package main

import (
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"github.com/openassay/assay/internal/textsafe"
	"github.com/openassay/assay/simhost/eventlog"
)

const simhostDoctorLong = `Looks whether the folder that assay simhost --data was given holds, unchanged, all
that was acknowledged: every append is read and compared with its checksum and with
the ledger that the host keeps beside the log. No host may have the folder open.

It changes nothing, unless --repair is given. Then what is whole stays as it is, each
file that has to change is first copied into a folder beside, and the host starts again.
A run that lost part of its log stays refused: what is left of it is not the run. The
way to have it back is a copy of the folder from before the damage.

Exit codes:
  0  all is whole, or was made so by --repair
  1  something is damaged
  2  the command was not understood, or DIR holds no logs`

// damageRows is how many damages, and how many logs, are listed.
const damageRows = 100

func newSimhostDoctor() *cobra.Command {
	var dir string
	var repair bool
	cmd := &cobra.Command{
		Use:     "doctor --data DIR",
		Short:   "Say whether the logs in a data folder are whole, and repair what can be",
		Long:    simhostDoctorLong,
		Example: "  assay simhost doctor --data ./logs\n  assay simhost doctor --data ./logs --repair",
		Args:    args(),
		RunE: func(cmd *cobra.Command, _ []string) error {
			if dir == "" {
				return usage("simhost doctor: name the folder with --data DIR")
			}
			if repair {
				return repairLogs(cmd.OutOrStdout(), dir)
			}
			return examineLogs(cmd.OutOrStdout(), dir)
		},
	}
	cmd.Flags().StringVar(&dir, "data", "", "`DIR` that a host keeps its logs in")
	cmd.Flags().BoolVar(&repair, "repair", false, "keep what is whole, and copy the files that are changed aside")
	return cmd
}

// doctorError tells wrong folders from those that could not be read.
func doctorError(err error) error {
	if errors.Is(err, eventlog.ErrNoStore) || errors.Is(err, eventlog.ErrLocked) {
		return usage("simhost doctor: %w", err)
	}
	return fmt.Errorf("simhost doctor: %w", err)
}

func examineLogs(out io.Writer, dir string) error {
	x, err := eventlog.Examine(dir)
	if err != nil {
		return doctorError(err)
	}
	var b strings.Builder
	writeExamination(&b, x)
	if !x.Whole() {
		fmt.Fprintf(&b, "\nNothing was changed. Put a copy of the folder back that is from before the damage. If you have none:\n"+
			"  %s --repair\nkeeps what is whole, copies the files that it changes into a folder beside, and lets the host start again.\n",
			eventlog.Doctor(dir))
	}
	if _, err := io.WriteString(out, b.String()); err != nil {
		return err
	}
	if !x.Whole() {
		return &exit{Code: exitFailed}
	}
	return nil
}

func repairLogs(out io.Writer, dir string) error {
	r, err := eventlog.RepairStore(dir)
	if err != nil {
		return doctorError(err)
	}
	var b strings.Builder
	writeExamination(&b, r.Found)
	if !r.Found.Whole() {
		fmt.Fprintf(&b, "\nRepaired: %d appends are whole. ", r.Left.Appends)
		if len(r.Files) == 0 {
			b.WriteString("What was missing was made anew, and no file had to be changed.\n")
		} else {
			fmt.Fprintf(&b, "The files that were changed lie in %s as they were:\n", textsafe.Line(r.Aside))
		}
		for _, file := range r.Files {
			fmt.Fprintf(&b, "  %s\n", textsafe.Line(file))
		}
		if len(r.Left.Earlier) > 0 {
			b.WriteString("The host starts again; it refuses what it is asked of the damaged logs, with status 500.\n")
		}
	}
	_, err = io.WriteString(out, b.String())
	return err
}

func writeExamination(b *strings.Builder, x *eventlog.Examination) {
	switch {
	case x.Whole():
		fmt.Fprintf(b, "%s: %d appends, all whole\n", textsafe.Line(x.Dir), x.Appends)
	default:
		fmt.Fprintf(b, "%s: %d appends are whole, and this is damaged:\n", textsafe.Line(x.Dir), x.Appends)
	}
	for i, d := range x.Damages {
		if i == damageRows {
			fmt.Fprintf(b, "  and %d more\n", len(x.Damages)-damageRows)
			break
		}
		fmt.Fprintf(b, "  %s\n", textsafe.Line(d.String()))
	}
	writeLogs(b, "\nRuns and other logs that lost something that was acknowledged:\n", x.Logs)
	writeLogs(b, "\nDamaged earlier, and refused since the repair:\n", x.Earlier)
}

func writeLogs(b *strings.Builder, heading string, logs []eventlog.DamagedLog) {
	if len(logs) == 0 {
		return
	}
	b.WriteString(heading)
	for i, l := range logs {
		if i == damageRows {
			fmt.Fprintf(b, "  and %d more\n", len(logs)-damageRows)
			break
		}
		fmt.Fprintf(b, "  %s", textsafe.Line(l.String()))
		if l.Appends > 0 {
			fmt.Fprintf(b, ": %d of its appends", l.Appends)
		}
		b.WriteString("\n")
	}
}
