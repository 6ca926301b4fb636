package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"

	"github.com/spf13/cobra"

	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/simhost/serving"
	"github.com/openassay/assay/tools/record"
)

type recordFlags struct {
	record.Options
	listen string
}

func newRecord() *cobra.Command {
	o := &recordFlags{}
	cmd := &cobra.Command{
		Use:   "record",
		Short: "Record what passes between clients and a host",
		Long: `Stands between clients and a host until it is stopped, passes everything on as it comes, and
writes transcripts as assay certify has them. Clients ask the address of --listen in place of
the host.

No credential is written: what stands in a header or a query for one, and what bodies call a
token, a secret or a password, becomes <secret:1>, always the same for the same. Bodies above
1 MiB of a request and 4 MiB of a reply are left out, and so are those compressed otherwise
than with gzip. Upgrades, such as to WebSocket, are refused with status 501. Redirects and
addresses in replies still name the host itself.

The files are whole at any time, also when the recorder is killed. At --max nothing more is
written, or with --rolling the oldest file goes; requests pass in any case.`,
		Example: "  assay record --target http://localhost:3000 --out recording",
		Args:    args(),
		RunE: func(cmd *cobra.Command, _ []string) error {
			if o.Target == "" {
				return usage("record: name a host with --target URL")
			}
			return o.serve(cmd.Context(), cmd.OutOrStdout(), cmd.ErrOrStderr())
		},
	}
	f := cmd.Flags()
	f.StringVar(&o.Target, "target", "", "`URL` of the host")
	f.StringVar(&o.listen, "listen", "127.0.0.1:7413", "`ADDRESS` to listen on")
	f.StringVar(&o.Dir, "out", "recording", "`DIR` for the transcripts, which has none yet")
	f.Int64Var(&o.Most, "max", 1<<30, "most `BYTES` of all files together")
	f.BoolVar(&o.Rolling, "rolling", false, "let the oldest file go when there is no room, in place of writing nothing more")
	f.StringVar(&o.CAFile, "cacert", "", "PEM `FILE` of certificate authorities to trust beside the system's")
	return cmd
}

func (o *recordFlags) serve(ctx context.Context, out, errs io.Writer) error {
	o.Logger = slog.New(slog.NewTextHandler(errs, nil))
	recorder, err := record.New(o.Options)
	if err != nil {
		return usage("record: %w", err)
	}
	ln, err := listen(ctx, "record", o.listen)
	if err != nil {
		_, closing := recorder.Close()
		return errors.Join(err, closing)
	}
	if _, err := fmt.Fprintf(out, "http://%s is %s, recorded in %s\n", dialable(ln.Addr()), o.Target, o.Dir); err != nil {
		return err
	}
	served := serving.Serve(ctx, ln, recorder, o.Logger)
	tally, err := recorder.Close()
	if _, printed := fmt.Fprintln(out, tally.String()+" in "+o.Dir); printed != nil {
		return printed
	}
	switch {
	case served != nil:
		return &exit{Code: scenarios.ExitUnreachable, Cause: served}
	case err != nil && !errors.Is(err, record.ErrFull): // that was said when it happened, and asked for
		return usage("record --out %s: %w", o.Dir, err)
	}
	return nil
}
