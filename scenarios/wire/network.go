package wire

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
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/openassay/assay/internal/lazyregexp"
)

// Target is what to certify, and how to reach it.
type Target struct {
	URL string // base URL, to which paths are appended
	Key string // the credential, "" for none
	// KeyHeader is the header of credentials, such as X-API-Key; "" is Authorization, with a bearer token.
	KeyHeader string
	// OtherKey is the credential of another tenant, "" for none. Only [Client.Other] sends it.
	OtherKey string
	// VoterKeys are the credentials of further principals of the tenant. Only [Client.Voter] sends them.
	VoterKeys []string
	// LowScopeKey is a credential of the tenant that may make and read runs but not answer interrupts, "" for none.
	// Only [Client.LowScope] sends it.
	LowScopeKey string
	// HostSecret is a value that the target keeps as a secret, made for being certified with; "" for none. Bodies that name
	// [HostSecret] hold it.
	HostSecret string
	// SecondURL is the base URL of another host that the target works with, "" for none, and SecondKey its credential.
	// Only [Client.Second] uses them.
	SecondURL, SecondKey string
	// Process is an executable that is the target, nil for none. Then the other fields have no meaning.
	Process *Process

	Header    map[string]string // sent with every request to the target; never recorded
	UserAgent string            // of every request; "" is that of a plain Go client
	CAFile    string            // PEM file of further certificate authorities
}

// Options tune a [Network].
type Options struct {
	Limits   Limits
	Rate     float64          // requests a second over all drives; 0 = unlimited
	Now      func() time.Time // nil = time.Now
	Contract *Contract        // that requests are checked against, nil to check none
	Speech   Speech           // of the version that the target speaks, nil where operations have no names
}

// Network holds what all drives of a certification share.
type Network struct {
	base       *url.URL // nil for an executable
	target     Target
	limits     Limits
	second     *url.URL // nil if there is none
	redactor   *Redactor
	tls        *tls.Config
	throttle   *throttle
	inFlight   *weights
	held       totals
	now        func() time.Time
	speech     Speech
	contract   *Contract
	discovered string // the discovery document, redacted
}

// NewNetwork returns a network for a target. It checks the address and reads the certificate file.
func NewNetwork(t Target, o Options) (*Network, error) {
	if t.Process != nil {
		return newPlugin(*t.Process, o)
	}
	base, err := ParseBase(t.URL)
	if err != nil {
		return nil, err
	}
	n := newNetwork(t, o)
	n.base = base
	n.redactor.Hide(t.Key)
	if t.SecondURL != "" {
		if n.second, err = ParseBase(t.SecondURL); err != nil {
			return nil, fmt.Errorf("second host: %w", err)
		}
		if p, ok := n.second.User.Password(); ok {
			n.redactor.Hide(p)
		}
	}
	for _, key := range append([]string{t.OtherKey, t.LowScopeKey, t.SecondKey, t.HostSecret}, t.VoterKeys...) {
		n.redactor.Hide(key)
	}
	for name, value := range t.Header {
		if credential.MatchString(name) { // other values, such as a tenant's name, are only blanked in headers
			n.redactor.Hide(value)
			n.redactor.Hide(value[strings.LastIndexByte(value, ' ')+1:]) // after a scheme
		}
	}
	if base.User != nil {
		if p, ok := base.User.Password(); ok {
			n.redactor.Hide(p)
		}
	}
	if t.CAFile != "" {
		if n.tls, err = Trust(t.CAFile); err != nil {
			return nil, err
		}
	}
	return n, nil
}

func newNetwork(t Target, o Options) *Network {
	n := &Network{target: t, limits: o.Limits, redactor: &Redactor{}, now: o.Now, speech: o.Speech, contract: o.Contract}
	if n.now == nil {
		n.now = time.Now
	}
	n.throttle = &throttle{now: n.now, most: o.Rate}
	n.inFlight = &weights{free: o.Limits.InFlightBytes, most: o.Limits.InFlightBytes}
	return n
}

// newPlugin returns a network for an executable.
func newPlugin(p Process, o Options) (*Network, error) {
	if len(p.Command) == 0 {
		return nil, errors.New("a plugin has no command: say how it is started")
	}
	p.Command = slices.Clone(p.Command)
	if strings.Contains(p.Command[0], "/") { // relative to here; it starts in another folder
		program, err := filepath.Abs(p.Command[0])
		if err != nil {
			return nil, err
		}
		p.Command[0] = program
	}
	n := newNetwork(Target{Process: &p}, o)
	for name, value := range p.Env {
		if credential.MatchString(name) {
			n.redactor.Hide(value)
		}
	}
	for _, secret := range p.Secrets {
		n.redactor.Hide(secret)
	}
	return n, nil
}

// credential matches names of headers and variables whose values are secrets.
var credential = lazyregexp.New(`(?i)auth|token|key|secret|cookie|passw|session`)

// ParseBase parses a target's base URL. The error shows an example.
func ParseBase(text string) (*url.URL, error) {
	u, err := url.Parse(text)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" {
		return nil, fmt.Errorf("target %q is not a base URL: give one like http://127.0.0.1:7411", text)
	}
	if u.RawQuery != "" || u.Fragment != "" {
		return nil, fmt.Errorf("target %q: a base URL has no query and no fragment: leave them out", u.Redacted())
	}
	u.Path = strings.TrimSuffix(u.Path, "/")
	return u, nil
}

// Trust returns a TLS configuration that trusts the certificate authorities of the system and of a PEM file.
func Trust(file string) (*tls.Config, error) {
	pem, err := os.ReadFile(file)
	if err != nil {
		return nil, fmt.Errorf("reading the certificate authorities: %w", err)
	}
	pool, err := x509.SystemCertPool()
	if err != nil {
		pool = x509.NewCertPool()
	}
	if !pool.AppendCertsFromPEM(pem) {
		return nil, fmt.Errorf("reading the certificate authorities: %s holds no PEM certificate", file)
	}
	return &tls.Config{RootCAs: pool, MinVersion: tls.VersionTLS12}, nil
}

// Allow gives each exchange so much more time, before any drive begins.
func (n *Network) Allow(longer time.Duration) { n.limits.Request += longer }

// Redactor returns the redactor of the certification.
func (n *Network) Redactor() *Redactor { return n.redactor }

// Second returns the address of the second host without credentials, "" without one.
func (n *Network) Second() string {
	if n.second == nil {
		return ""
	}
	return n.redactor.Clean(n.second.Redacted())
}

// Address returns the target's base URL, or the name of its executable, without secrets.
func (n *Network) Address() string {
	if n.base == nil {
		return n.redactor.Clean(n.target.Process.Name)
	}
	return n.redactor.Clean(n.base.Redacted())
}

// Client returns a client with its own transport for a drive. Close it when the drive is over.
func (n *Network) Client(drive string) *Client {
	transport := &http.Transport{
		DialContext:            (&net.Dialer{Timeout: 5 * time.Second}).DialContext,
		TLSClientConfig:        n.tls,
		TLSHandshakeTimeout:    5 * time.Second,
		ResponseHeaderTimeout:  0, // a long poll takes time; the deadline of the exchange bounds it
		MaxResponseHeaderBytes: n.limits.HeaderBytes,
		// Node hosts close idle connections after 5 s, and a request sent at that moment would fail.
		IdleConnTimeout:     4 * time.Second,
		MaxIdleConnsPerHost: 8,
		ForceAttemptHTTP2:   true,
	}
	c := &Client{
		network: n, base: n.base, key: n.target.Key, blank: Secret, transport: transport,
		transcript: &Transcript{Drive: drive, Speech: n.speech}, held: &held{network: n}, waited: new(atomic.Int64), rank: new(atomic.Int64),
		misfits: new(atomic.Pointer[failure]),
	}
	c.http = &http.Client{Transport: transport, CheckRedirect: c.redirect}
	return c
}

// redirect follows redirects within the origin only, so that no credential leaves it.
func (c *Client) redirect(next *http.Request, via []*http.Request) error {
	if asked := via[0].URL; next.URL.Scheme != asked.Scheme || next.URL.Host != asked.Host {
		return http.ErrUseLastResponse
	}
	if len(via) > c.network.limits.Redirects {
		return errTooManyRedirects
	}
	return nil
}

var errTooManyRedirects = errors.New("too many redirects")

// Pause waits for d, or returns the context's error if ctx ends before.
func Pause(ctx context.Context, d time.Duration) error {
	if d <= 0 {
		return ctx.Err()
	}
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// weights is a counting semaphore in bytes.
type weights struct {
	mu      sync.Mutex
	free    int64
	most    int64
	waiting []chan struct{}
}

// take waits until n bytes are free, or all of them if n is more.
func (w *weights) take(ctx context.Context, n int64) error {
	n = min(n, w.most)
	for {
		w.mu.Lock()
		if w.free >= n {
			w.free -= n
			w.mu.Unlock()
			return nil
		}
		turn := make(chan struct{})
		w.waiting = append(w.waiting, turn)
		w.mu.Unlock()
		select {
		case <-turn:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

func (w *weights) give(n int64) {
	w.mu.Lock()
	w.free += min(n, w.most)
	waiting := w.waiting
	w.waiting = nil
	w.mu.Unlock()
	for _, turn := range waiting {
		close(turn)
	}
}
