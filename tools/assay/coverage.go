package main

import (
	"fmt"
	"io"
	"os"
	"path"
	"slices"

	"github.com/spf13/cobra"

	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/observed"
	"github.com/openassay/assay/tools/internal/protocols"
	"github.com/openassay/assay/tools/sent"
	"github.com/openassay/assay/tools/trace"
)

const coverageLong = `Lists what the clients in recordings send and no drive of this release does. Nothing is
asked of a host. A gap is no violation: it shows where real traffic goes that a
certification does not. (Which requirements scenarios cover is another question:
assay list requirements answers it.)

SOURCE is a folder as assay observe reads it. Compared are

  called   the operations of the protocol; of a plugin, the kinds of its turns
  query    the parameters of the query
  header   the headers, and the media types in Accept and Content-Type
  body     the members of bodies, with their JSON types: [] is an element of a
           list, * a member whose name is the client's own
  value    values that the protocol lists, in bodies and queries
  then     the class of a reply's status, and what the same client asks next of
           the same run, intent, goal, file or the like

Requests for no operation of the protocol are listed apart. Each gap has the number of
requests that show it, and the file and exchange of the first. Values and names that
may be the client's own are not printed.

What drives send was recorded in certifications of the simulated hosts and the reference
agent, with one seed at depths quick and standard. Another seed draws other values, and
some other pairs.

Exit codes, the highest that applies:
  2  the command was not understood, or a recording cannot be read
  1  with --fail: there is a gap, or a request for no operation of the protocol
  4  nothing could be compared
  0  all else`

type coverageFlags struct {
	protocol   string
	fail, json bool
}

func newCoverage() *cobra.Command {
	o := &coverageFlags{}
	cmd := &cobra.Command{
		Use:     "coverage SOURCE...",
		Short:   "List what clients in recordings send and no drive does",
		Long:    coverageLong,
		Example: "  assay coverage recording\n  assay coverage monday tuesday --json",
		Args: func(cmd *cobra.Command, words []string) error {
			return args("SOURCE")(cmd, words[:min(1, len(words))]) // one at least
		},
		RunE: func(cmd *cobra.Command, words []string) error {
			return o.coverage(cmd.OutOrStdout(), words)
		},
	}
	f := cmd.Flags()
	f.StringVar(&o.protocol, "protocol", "", "`NAME` of the protocol that the hosts speak: "+protocols.OrList(protocols.Names(watched()))+
		" (default the one whose discovery document is in the recording)")
	f.BoolVar(&o.fail, "fail", false, "end with exit code 1 if anything is listed")
	f.BoolVar(&o.json, "json", false, "print JSON")
	return cmd
}

// traffic is what the clients of one protocol send in all recordings.
type traffic struct {
	row     *protocols.Row
	sum     *sent.Sum
	origins []string
	gaps    []sent.Item
}

// compared holds the traffic of all recordings, and what could not be compared.
type compared struct {
	all  []*traffic
	left []string
}

func (o *coverageFlags) coverage(out io.Writer, folders []string) error {
	rows, err := watchedNamed(o.protocol)
	if err != nil {
		return err
	}
	c := &compared{}
	for _, folder := range folders {
		recordings, err := observed.Read(os.DirFS(folder), spoken(rows)...)
		if err != nil {
			return usage("coverage %s: %w: give a folder of assay record, or another that assay observe --help names", folder, err)
		}
		for _, r := range recordings {
			if err := c.add(folder, r, o.rowOf(r, rows)); err != nil {
				return err
			}
		}
	}
	listed := false
	for _, t := range c.all {
		drives, err := trace.Sent(t.row.ID)
		if err != nil {
			return err
		}
		t.gaps = t.sum.Items.Beyond(drives)
		listed = listed || len(t.gaps) > 0
	}
	if err := o.print(out, c); err != nil {
		return err
	}
	switch {
	case len(c.all) == 0:
		return &exit{Code: scenarios.ExitNothing}
	case listed && o.fail:
		return &exit{Code: exitFailed}
	}
	return nil
}

// rowOf returns the protocol that a recording shows, or that the operator names; nil for none.
func (o *coverageFlags) rowOf(r observed.Recording, rows []*protocols.Row) *protocols.Row {
	i := slices.IndexFunc(rows, func(row *protocols.Row) bool { return speaks(row, r) || o.protocol != "" && row.Hosted() != r.Program })
	if i < 0 {
		return nil
	}
	return rows[i]
}

// add adds a recording to the traffic of its protocol.
func (c *compared) add(folder string, r observed.Recording, row *protocols.Row) error {
	for _, why := range r.Left {
		c.leave(folder + ": " + why)
	}
	switch {
	case r.Events > 0:
		c.leave(folder + ": " + r.Origin + ": a log does not say what clients sent")
		return nil
	case row == nil:
		c.leave(folder + ": " + r.Origin + ": its discovery document is not in the recording: name the protocol with --protocol")
		return nil
	}
	i := slices.IndexFunc(c.all, func(t *traffic) bool { return t.row == row })
	if i < 0 {
		sum, err := sent.New(row.Protocol)
		if err != nil {
			return fmt.Errorf("coverage: %w", err)
		}
		i, c.all = len(c.all), append(c.all, &traffic{row: row, sum: sum})
	}
	t := c.all[i]
	if !slices.Contains(t.origins, r.Origin) {
		t.origins = append(t.origins, r.Origin)
	}
	t.sum.Add(r.All(), func(i int) string { return path.Join(folder, r.Place(i+1)) })
	return nil
}

// leave notes what is not compared, once: each recording of a folder tells of all its files.
func (c *compared) leave(why string) {
	if !slices.Contains(c.left, why) {
		c.left = append(c.left, why)
	}
}
