// Package onward passes requests on to another host: as they are, or where a simulated host and another one answer together.
package onward

import (
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httputil"
	"net/url"
	"os"
)

// Options of a proxy. Target and Fail are required.
type Options struct {
	Target string // base URL of the other host
	CAFile string // certificates to trust beside the system's; "" for none
	// Plain has the other host asked for replies that are not compressed, so that they can be read on the way.
	Plain bool
	// Fail answers where the other host does not.
	Fail func(w http.ResponseWriter, r *http.Request, err error)
	// Logger gets what net/http has to say; nil discards.
	Logger *slog.Logger
}

// New returns a proxy to a host. Bodies and streams go through as they come. Redirects and addresses in replies still name the host
// itself.
func New(o Options) (*httputil.ReverseProxy, error) {
	target, err := ParseURL(o.Target)
	if err != nil {
		return nil, err
	}
	transport := http.DefaultTransport.(*http.Transport).Clone()
	// Whether a reply is compressed is between the client and the other host.
	transport.DisableCompression = !o.Plain
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
	return &httputil.ReverseProxy{
		Transport:     transport,
		FlushInterval: -1, // an event goes on at once
		Rewrite: func(r *httputil.ProxyRequest) {
			r.SetURL(target)
			if o.Plain {
				// The transport asks for a compressed reply by itself, and unpacks it.
				r.Out.Header.Del("Accept-Encoding")
			}
		},
		ErrorHandler: o.Fail,
		ErrorLog:     slog.NewLogLogger(log.Handler(), slog.LevelDebug),
	}, nil
}

// ParseURL reads the base URL of a host.
func ParseURL(text string) (*url.URL, error) {
	target, err := url.Parse(text)
	if err != nil || target.Host == "" || target.Scheme != "http" && target.Scheme != "https" {
		return nil, fmt.Errorf("target %q: give the base URL of a host, such as http://localhost:3000", text)
	}
	return target, nil
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
