// Package faultproxy puts a fault in front of a host that others wrote: the host stays as it is, and whoever asks the proxy
// meets the fault. So the maintainer of a host can see whether a certification of it would notice.
package faultproxy

import (
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httputil"
	"net/url"
	"os"

	"github.com/openassay/assay/simhost/mutate"
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
	target, err := url.Parse(o.Target)
	if err != nil || target.Host == "" || target.Scheme != "http" && target.Scheme != "https" {
		return nil, fmt.Errorf("target %q: give the base URL of a host, such as http://localhost:3000", o.Target)
	}
	transport := http.DefaultTransport.(*http.Transport).Clone()
	if o.CAFile != "" {
		roots, err := pool(o.CAFile)
		if err != nil {
			return nil, err
		}
		transport.TLSClientConfig = &tls.Config{RootCAs: roots, MinVersion: tls.VersionTLS12}
	}
	log := o.Logger
	if log == nil {
		log = slog.New(slog.DiscardHandler)
	}
	proxy := &httputil.ReverseProxy{
		Transport:     transport,
		FlushInterval: -1, // an event goes on at once
		Rewrite: func(r *httputil.ProxyRequest) {
			r.SetURL(target)
			// The transport asks for a compressed reply by itself, and unpacks it; a fault could not read another.
			r.Out.Header.Del("Accept-Encoding")
		},
		ErrorHandler: func(w http.ResponseWriter, r *http.Request, err error) {
			log.WarnContext(r.Context(), "the target does not answer", "method", r.Method, "path", r.URL.Path, "error", err)
			http.Error(w, "the host behind this proxy does not answer", http.StatusBadGateway)
		},
		ErrorLog: slog.NewLogLogger(log.Handler(), slog.LevelDebug),
	}
	return o.Changes.Front(proxy), nil
}

func pool(file string) (*x509.CertPool, error) {
	roots, err := x509.SystemCertPool()
	if err != nil {
		roots = x509.NewCertPool()
	}
	content, err := os.ReadFile(file)
	if err != nil {
		return nil, fmt.Errorf("read certificates: %w", err)
	}
	if !roots.AppendCertsFromPEM(content) {
		return nil, fmt.Errorf("%s holds no certificate: give a PEM file", file)
	}
	return roots, nil
}
