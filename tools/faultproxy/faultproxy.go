// Package faultproxy puts a fault in front of a host that others wrote: the host stays as it is, and whoever asks the proxy
// meets the fault. So the maintainer of a host can see whether a certification of it would notice.
package faultproxy

import (
	"log/slog"
	"net/http"

	"github.com/openassay/assay/simhost/mutate"
	"github.com/openassay/assay/simhost/serving/onward"
)

// Options of a proxy. Target is required.
type Options struct {
	Target  string // base URL of the host
	CAFile  string // certificates to trust beside the system's; "" for none
	Changes mutate.Changes
	Logger  *slog.Logger // of requests that the host does not answer; nil discards
}

// New returns a handler that passes requests to the target and commits the fault. Redirects and addresses in replies still
// name the target itself.
func New(o Options) (http.Handler, error) {
	log := o.Logger
	if log == nil {
		log = slog.New(slog.DiscardHandler)
	}
	proxy, err := onward.New(onward.Options{
		Target: o.Target, CAFile: o.CAFile, Logger: log, Plain: true, // a fault could not read a compressed reply
		Fail: func(w http.ResponseWriter, r *http.Request, err error) {
			log.WarnContext(r.Context(), "the target does not answer", "method", r.Method, "path", r.URL.Path, "error", err)
			http.Error(w, "the host behind this proxy does not answer", http.StatusBadGateway)
		},
	})
	if err != nil {
		return nil, err
	}
	return o.Changes.Front(proxy), nil
}
