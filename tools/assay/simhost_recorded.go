package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"math"
	"net/url"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/openassay/assay/internal/textsafe"
	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/observed"
	"github.com/openassay/assay/simhost/serving"
	"github.com/openassay/assay/tools/playback"
)

const recordedLong = `With --recorded no host is simulated: each request is answered as the host of a recording
answered it, or with status 501 if the recording does not have it. When it is stopped it
prints how the client did beside the recording.

Exit codes with --recorded:
  2  the command was not understood, or the recording cannot be read
  1  a request is not in the recording, or its reply was left out there
  4  nothing was asked
  0  each request was answered from the recording`

// recordedFlags are those of a host that plays a recording back.
type recordedFlags struct {
	dir, host, report string
	pace              float64
}

func (o *recordedFlags) register(f *pflag.FlagSet) {
	f.StringVar(&o.dir, "recorded", "", "`DIR` of a recording, of assay record or as assay observe reads it, to play back in place of a simulated host")
	f.StringVar(&o.host, "recorded-host", "", "`URL` of the host to play back, with the path below which clients ask (default the one with "+
		"most exchanges)")
	f.StringVar(&o.report, "recorded-report", "", "`FILE` for a report, in JSON, of what was asked beside the recording")
	f.Float64Var(&o.pace, "pace", 0, "`TIMES` as long as recorded for replies and between the parts of a stream (default 0, at once)")
}

// check refuses flags of simulated hosts.
func (o *recordedFlags) check(f *pflag.FlagSet) (err error) {
	own := []string{"recorded", "recorded-host", "recorded-report", "pace"}
	f.Visit(func(flag *pflag.Flag) {
		switch plays := f.Changed("recorded"); {
		case err != nil || plays && flag.Name == "listen":
		case plays && !slices.Contains(own, flag.Name):
			err = usage("simhost --%s: it is for a simulated host, and a recording is played back as it is: leave out that, or --recorded",
				flag.Name)
		case !plays && slices.Contains(own, flag.Name):
			err = usage("simhost --%s: it is for a recording: name one with --recorded DIR", flag.Name)
		}
	})
	if err == nil && (o.pace < 0 || math.IsNaN(o.pace) || math.IsInf(o.pace, 0)) {
		return usage("simhost --pace %v: give 0, or by how much recorded times are multiplied, such as 1", o.pace)
	}
	return err
}

// chosen is a recorded host, with the path below which clients ask.
type chosen struct {
	observed.Recording
	prefix string
	others []observed.Recording // that are not played
}

// choose reads the folder and returns the host that is played back.
func (o *recordedFlags) choose() (c chosen, err error) {
	all, err := observed.Read(os.DirFS(o.dir))
	if err != nil {
		return c, usage("simhost --recorded %s: %w: give a folder of assay record, or another that assay observe --help names", o.dir, err)
	}
	hosts := slices.DeleteFunc(all, func(r observed.Recording) bool { return r.Program || r.Len() == 0 })
	if len(hosts) == 0 {
		return c, usage("simhost --recorded %s: it holds no exchange with a host: jobs of a plugin and logs cannot be played back", o.dir)
	}
	var origins []string
	for _, r := range hosts {
		origins = append(origins, r.Origin)
	}
	at, origin := 0, ""
	if o.host != "" {
		u, err := url.Parse(o.host)
		if err != nil || u.Host == "" {
			return c, usage("simhost --recorded-host %s: give the URL of a host, such as %s", o.host, origins[0])
		}
		origin, c.prefix = u.Scheme+"://"+u.Host, strings.TrimSuffix(u.Path, "/")
		if at = slices.Index(origins, origin); at < 0 {
			return c, unknown("host", origin, origins)
		}
	}
	c.Recording = hosts[at]
	c.others = slices.Delete(hosts, at, at+1)
	return c, nil
}

// mostLeft bounds how many unreadable parts of a recording are named.
const mostLeft = 10

// serve plays the recording back until ctx ends.
func (o *recordedFlags) serve(ctx context.Context, address string, out, errs io.Writer) error {
	c, err := o.choose()
	if err != nil {
		return err
	}
	log := slog.New(slog.NewTextHandler(errs, nil))
	for i, left := range c.Left {
		if i == mostLeft {
			log.Warn("left out of the recording", "further", len(c.Left)-mostLeft)
			break
		}
		log.Warn("left out of the recording", "what", textsafe.Line(left))
	}
	host := playback.New(playback.Options{Origin: c.Origin, Entries: c.All(), Prefix: c.prefix, Pace: o.pace, Logger: log})
	exchanges := host.Report().Exchanges
	if exchanges == 0 {
		return usage("simhost --recorded-host %s: no exchange is below %s: give a shorter path", o.host, c.prefix)
	}
	if err := o.write(host.Report()); err != nil { // now, and not only when all is over
		return err
	}
	ln, err := listen(ctx, "simhost", address)
	if err != nil {
		return err
	}
	if _, err := io.WriteString(out, o.banner(c, "http://"+dialable(ln.Addr()), exchanges)); err != nil {
		return errors.Join(fmt.Errorf("simhost: print the banner: %w", err), ln.Close())
	}
	served := serving.Serve(ctx, ln, host, log)
	report := host.Report()
	if _, err := io.WriteString(out, report.String()); err != nil {
		return err
	}
	switch err := o.write(report); {
	case err != nil:
		return err
	case served != nil:
		return &exit{Code: scenarios.ExitUnreachable, Cause: served}
	case report.Left+report.Unkept > 0:
		return &exit{Code: exitFailed}
	case report.Asked == 0:
		return &exit{Code: scenarios.ExitNothing}
	}
	return nil
}

// banner says what is played where.
func (o *recordedFlags) banner(c chosen, url string, exchanges int) string {
	text := fmt.Sprintf("%s answers as %s did: %s of %s\n", url, safe(c.Origin+c.prefix), textsafe.Count(exchanges, "exchange"), o.dir)
	if len(c.others) > 0 {
		text += "not played, as --recorded-host does not name them:\n"
	}
	for _, r := range c.others {
		text += fmt.Sprintf("  %s, %s\n", safe(r.Origin), textsafe.Count(r.Len(), "exchange"))
	}
	return text
}

// write writes the report, if one was asked for.
func (o *recordedFlags) write(r playback.Report) (err error) {
	if o.report == "" {
		return nil
	}
	f, err := os.Create(o.report)
	if err == nil {
		err = errors.Join(writeJSON(f, "simhost", r), f.Close())
	}
	if err != nil {
		return usage("simhost --recorded-report %s: %w: name a file that can be written", o.report, err)
	}
	return nil
}

// recordedOr runs a playback if a recording is named, and the simulated host otherwise.
func (o *simhostFlags) recordedOr(cmd *cobra.Command) error {
	if err := o.recorded.check(cmd.Flags()); err != nil {
		return err
	}
	if cmd.Flags().Changed("recorded") {
		return o.recorded.serve(cmd.Context(), o.listen, cmd.OutOrStdout(), cmd.ErrOrStderr())
	}
	if err := o.check(cmd); err != nil {
		return err
	}
	return o.serve(cmd.Context(), cmd.OutOrStdout(), cmd.ErrOrStderr())
}
