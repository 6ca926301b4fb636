package doctor

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"os"
	"strings"
	"time"

	"github.com/openassay/assay/scenarios/wire"
)

// reach checks each step of the way to the host, and stops at the first failure. ok reports whether the host can be
// reached.
func (e *examination) reach(ctx context.Context, base *url.URL) (ok bool) {
	e.proxy(base)
	host, port := base.Hostname(), base.Port()
	if port == "" {
		port = map[string]string{"https": "443"}[base.Scheme]
		if port == "" {
			port = "80"
		}
	}
	if net.ParseIP(host) == nil {
		if !e.dns(ctx, host) {
			return false
		}
	}
	if !e.tcp(ctx, net.JoinHostPort(host, port)) {
		return false
	}
	return base.Scheme != "https" || e.tls(ctx, net.JoinHostPort(host, port), host)
}

func (e *examination) proxy(base *url.URL) {
	through, err := http.ProxyFromEnvironment(&http.Request{URL: base})
	switch {
	case err != nil:
		e.note("proxy", Warn, "unset it, or mend it; Assay connects directly", "the environment names a proxy that is no URL")
	case through != nil:
		e.note("proxy", Warn, "nothing, if the host can be reached without it; Assay connects directly, so that it sees the "+
			"host's own replies", "the environment names the proxy %s", through.Host)
	}
}

func (e *examination) dns(ctx context.Context, host string) bool {
	ctx, cancel := context.WithTimeout(ctx, checkTimeout)
	defer cancel()
	found, err := net.DefaultResolver.LookupHost(ctx, host)
	if err != nil {
		e.note("dns", Fail, "check the name in the URL, and the resolver of this machine", "%s has no address: %v", host, err)
		return false
	}
	e.note("dns", OK, "", "%s is %s", host, strings.Join(found[:min(len(found), 4)], ", "))
	return true
}

func (e *examination) tcp(ctx context.Context, address string) bool {
	ctx, cancel := context.WithTimeout(ctx, checkTimeout)
	defer cancel()
	start := e.Now()
	conn, err := (&net.Dialer{}).DialContext(ctx, "tcp", address)
	if err != nil {
		mend := "start the host, or check host and port of the URL"
		if errors.Is(err, context.DeadlineExceeded) || errors.Is(err, os.ErrDeadlineExceeded) {
			mend = "something drops what is sent there: check firewalls between here and the host"
		}
		e.note("tcp", Fail, mend, "%s does not answer: %v", address, err)
		return false
	}
	_ = conn.Close() // nothing was sent on it
	e.note("tcp", OK, "", "%s answers in %s", address, e.Now().Sub(start).Round(time.Millisecond))
	return true
}

// renewWithin is the remaining validity below which a certificate deserves a warning.
const renewWithin = 14 * 24 * time.Hour

func (e *examination) tls(ctx context.Context, address, host string) bool {
	ctx, cancel := context.WithTimeout(ctx, checkTimeout)
	defer cancel()
	config := &tls.Config{MinVersion: tls.VersionTLS12}
	if e.Target.CAFile != "" {
		trusted, err := wire.Trust(e.Target.CAFile)
		if err != nil {
			e.note("tls", Fail, "give a PEM file with --cacert", "%v", err)
			return false
		}
		config = trusted
	}
	config.ServerName = host
	conn, err := (&tls.Dialer{Config: config}).DialContext(ctx, "tcp", address)
	if err != nil {
		e.note("tls", Fail, mendTLS(err), "no handshake with %s: %v", address, err)
		return false
	}
	state := conn.(*tls.Conn).ConnectionState()
	_ = conn.Close() // nothing was sent on it
	leaf := state.PeerCertificates[0]
	left := leaf.NotAfter.Sub(e.Now())
	seen := fmt.Sprintf("%s, certificate until %s", tls.VersionName(state.Version), leaf.NotAfter.UTC().Format(time.DateOnly))
	if left < renewWithin {
		e.note("tls", Warn, "renew the certificate", "%s", seen)
		return true
	}
	e.note("tls", OK, "", "%s", seen)
	return true
}

func mendTLS(err error) string {
	var unknown x509.UnknownAuthorityError
	var name x509.HostnameError
	var invalid x509.CertificateInvalidError
	var record tls.RecordHeaderError
	switch {
	case errors.As(err, &unknown):
		return "this machine does not trust the authority of the certificate: give its PEM file with --cacert"
	case errors.As(err, &name):
		return "the certificate is for another name: use one of its names in the URL"
	case errors.As(err, &invalid):
		return "have the host use a valid certificate; check the clock of this machine"
	case errors.As(err, &record):
		return "the server does not speak TLS: is it http:// that is meant?"
	}
	return "check what answers there, and that it takes TLS 1.2 or later"
}
