package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"strings"

	"github.com/spf13/cobra"

	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/simhost/mutate"
	"github.com/openassay/assay/simhost/param"
	"github.com/openassay/assay/simhost/serving"
	"github.com/openassay/assay/tools/faultproxy"
	"github.com/openassay/assay/tools/internal/faultflag"
	"github.com/openassay/assay/tools/internal/protocols"
)

type faultProxyFlags struct {
	target, listen, caCert string
	faults                 faultflag.Flags
}

func newFaultProxy() *cobra.Command {
	o := &faultProxyFlags{}
	cmd := &cobra.Command{
		Use:   "fault-proxy",
		Short: "Put a fault in front of your own host",
		Long: `Passes requests to a host and commits a fault on the way: in a request as it comes in,
in a reply or an event as it goes out. The host stays as it is. Who certifies the proxy
sees whether a certification of this host would notice. assay prove --target does that
with every fault that can stand in front of a host.

A fault that is a decision of the host itself cannot: assay simhost --fault commits it.`,
		Example: "  assay fault-proxy --target http://localhost:3000 --fault shape.resume-in-words\n" +
			"  assay certify http://127.0.0.1:7412 --key KEY",
		Args: args(),
		RunE: func(cmd *cobra.Command, _ []string) error {
			changes, err := o.changes()
			if err != nil {
				return err
			}
			return o.serve(cmd.Context(), changes, cmd.OutOrStdout(), cmd.ErrOrStderr())
		},
	}
	f := cmd.Flags()
	f.StringVar(&o.target, "target", "", "`URL` of the host")
	o.faults.Register(f)
	f.StringVar(&o.listen, "listen", "127.0.0.1:7412", "`ADDRESS` to listen on")
	f.StringVar(&o.caCert, "cacert", "", "PEM `FILE` of certificate authorities to trust beside the system's")
	return cmd
}

// changes returns what the faults change on the wire.
func (o *faultProxyFlags) changes() (all mutate.Changes, err error) {
	if o.target == "" {
		return all, usage("fault-proxy: name a host with --target URL")
	}
	if len(o.faults.Specs) == 0 {
		return all, usage("fault-proxy: name a fault with --fault ID: assay list faults")
	}
	err = o.faults.Settle(func(spec string) ([]param.Param, error) {
		f, err := protocols.Committed(spec, protocols.Table)
		return f.Params, err
	})
	if _, ok := errors.AsType[*scenarios.UsageError](err); ok {
		return all, err
	}
	if err != nil {
		return all, usage("fault-proxy --fault: %w", err)
	}
	for _, spec := range o.faults.Specs {
		f, err := protocols.Committed(spec, protocols.Table)
		switch {
		case err != nil:
			return all, err
		case f.OnWire == nil:
			return all, usage("fault-proxy --fault %s: it is a decision that only a host itself can take: assay simhost --fault "+
				"%s commits it", spec, spec)
		case strings.Contains(spec, param.Tenant.Name+"="):
			return all, usage("fault-proxy --fault %s: only a host knows whose a key is: leave off %s", spec, param.Tenant.Name)
		}
		all.Requests = append(all.Requests, f.OnWire.Requests...)
		all.Replies = append(all.Replies, f.OnWire.Replies...)
		all.Frames = append(all.Frames, f.OnWire.Frames...)
	}
	return all, nil
}

func (o *faultProxyFlags) serve(ctx context.Context, changes mutate.Changes, out, errs io.Writer) error {
	log := slog.New(slog.NewTextHandler(errs, nil))
	handler, err := faultproxy.New(faultproxy.Options{Target: o.target, CAFile: o.caCert, Changes: changes, Logger: log})
	if err != nil {
		return usage("fault-proxy: %w", err)
	}
	ln, err := listen(ctx, "fault-proxy", o.listen)
	if err != nil {
		return err
	}
	if _, err := fmt.Fprintf(out, "http://%s is %s with %s\n", dialable(ln.Addr()), o.target, strings.Join(o.faults.Specs, ", ")); err != nil {
		return err
	}
	if err := serving.Serve(ctx, ln, handler, log); err != nil {
		return &exit{Code: scenarios.ExitUnreachable, Cause: err}
	}
	return nil
}
