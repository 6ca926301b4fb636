package doctor

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/wire"
)

func (e *examination) host(ctx context.Context) {
	base, err := url.Parse(e.Target.URL) // NewNetwork has checked it
	if err != nil || !e.reach(ctx, base) {
		return
	}
	protocol, declared, ok := e.discover(ctx)
	if !ok {
		return
	}
	e.report.Reached, e.report.Protocol = true, protocol.ID
	e.clock(declared.Date)
	if protocol.CheckDiscovery != nil {
		e.schema("the discovery document", protocol.CheckDiscovery(declared.Raw))
	}
	e.claims(protocol, scenarios.Discovery{Document: declared.Document, Status: declared.Status, At: e.Now()})
	if err := e.useProtocol(protocol); err != nil {
		e.note("keys", Fail, "give keys that a header can carry", "%v", err)
		return
	}
	e.keys(ctx, protocol)
	if protocol.SeamPrefix != "" {
		e.seams(ctx, protocol)
	}
	if protocol.Fixtures != nil {
		e.fixtures(protocol, declared.Document)
	}
}

// discover fetches the discovery document of each candidate, without a key, and returns the first that the host serves.
func (e *examination) discover(ctx context.Context) (*scenarios.Protocol, wire.Declaration, bool) {
	ctx, cancel := context.WithTimeout(ctx, checkTimeout)
	defer cancel()
	var attempts []string
	for _, p := range e.Protocols {
		declared, err := e.client.Discover(ctx, p.DiscoveryPath)
		_, isObject := declared.Document.Actual().(map[string]any)
		switch {
		case err != nil:
			attempts = append(attempts, fmt.Sprintf("GET %s: %v", p.DiscoveryPath, err))
		case declared.Found && isObject:
			e.note("discovery", OK, "", "GET %s is a document of %s", p.DiscoveryPath, p.ID)
			return p, declared, true
		case declared.Found:
			attempts = append(attempts, fmt.Sprintf("GET %s: no JSON object", p.DiscoveryPath))
		default:
			attempts = append(attempts, fmt.Sprintf("GET %s: %v", p.DiscoveryPath, declared.Status.Actual()))
		}
	}
	mend := "is this the base URL of the host? The path of the document is appended to it; it is served to anybody, without a key"
	if e.Protocols[0].KeyHeader == "" && len(e.Protocols) > 1 {
		mend += "; name what it speaks with --protocol"
	}
	e.note("discovery", Fail, mend, "%s", strings.Join(attempts, "; "))
	return nil, wire.Declaration{}, false
}

// mostSkew bounds how far apart clocks may be. The Date header only has whole seconds.
const mostSkew = 5 * time.Second

func (e *examination) clock(date string) {
	told, err := http.ParseTime(date)
	if err != nil {
		e.note("clock", Warn, "nothing, or have the host send a Date", "the reply has no Date that can be read: %q", date)
		return
	}
	skew := told.Sub(e.Now()).Round(time.Second)
	if skew.Abs() > mostSkew {
		e.note("clock", Warn, "set the clocks of the host and of this machine by NTP: times in logs will look wrong",
			"the clock of the host is off by %s", skew)
		return
	}
	e.note("clock", OK, "", "the clock of the host is accurate to %s", mostSkew)
}

const mostFindings = 5

func (e *examination) schema(of string, findings []scenarios.Finding) {
	if len(findings) == 0 {
		e.note("schema", OK, "", "%s is as its schema says", of)
		return
	}
	for _, f := range findings[:min(len(findings), mostFindings)] {
		e.note("schema", Warn, "mend the document: its claims may be misread", "%s", f.Text)
	}
	if more := len(findings) - mostFindings; more > 0 {
		e.note("schema", Warn, "mend those first", "and %d more", more)
	}
}

func (e *examination) claims(p *scenarios.Protocol, d scenarios.Discovery) {
	made := 0
	for _, c := range p.Claims {
		if _, claimed := c.Look(d); claimed || c.Open != nil && c.Open(d) {
			made++
		}
	}
	if made == 0 {
		e.note("claims", Fail, "claim what the host can do: what it does not claim is not asked (exit code 4)",
			"the document makes none of %d claims", len(p.Claims))
		return
	}
	e.note("claims", OK, "", "the document makes %d of %d claims, or leaves them open", made, len(p.Claims))
}

// useProtocol replaces the client by one that sends keys in the header of the protocol.
func (e *examination) useProtocol(p *scenarios.Protocol) error {
	target := e.Target
	target.KeyHeader = p.KeyHeader
	network, err := wire.NewNetwork(target, wire.Options{Limits: wire.DefaultLimits(), Now: e.Now})
	if err != nil {
		return err
	}
	e.client.Close()
	e.network, e.client = network, network.Client("doctor")
	return nil
}

// absentID is an id that no resource has.
const absentID = "00000000-0000-4000-8000-00000000d0c5"

// keys checks that the host accepts each key and refuses requests without one. It asks for a resource that does not
// exist, so an accepted request is answered with not found.
func (e *examination) keys(ctx context.Context, p *scenarios.Protocol) {
	if p.Resources == "" {
		return
	}
	path := p.Resources + absentID
	ask := func(c *wire.Client, anonymous bool) (int, error) {
		ctx, cancel := context.WithTimeout(ctx, checkTimeout)
		defer cancel()
		reply, err := c.Do(ctx, wire.Call{Method: http.MethodGet, Path: path, Label: "who is let in", Anonymous: anonymous})
		if err != nil {
			return 0, err
		}
		return reply.Status, nil
	}
	open, err := ask(e.client, true)
	if err != nil {
		e.note("no key", Fail, "see that the host answers GET "+path, "GET %s without a key: %v", path, err)
		return
	}
	if e.Target.Key == "" && !refused(open) {
		e.note("no key", OK, "", "GET %s without a key is answered with %d, and no key was given", path, open)
		return
	}
	switch {
	case e.Target.Key == "":
		e.note("no key", Fail, "give the key with --key, --key-file or ASSAY_KEY", "GET %s without a key is refused with %d", path, open)
	case refused(open):
		e.note("no key", OK, "", "GET %s without a key is refused with %d", path, open)
	default:
		e.note("no key", Warn, "have the host ask for a key: the protocol requires it", "GET %s without a key is answered with %d",
			path, open)
	}
	e.key("--key", path, e.Target.Key != "", func() (int, error) { return ask(e.client, false) })
	e.key("--tenant-b-key", path, e.Target.OtherKey != "" && p.Tenants, func() (int, error) { return ask(e.client.Other(), false) })
	e.key("--low-scope-key", path, e.Target.LowScopeKey != "" && p.Tenants, func() (int, error) { return ask(e.client.LowScope(), false) })
	for i := range e.Target.VoterKeys {
		e.key(fmt.Sprintf("--voter-key %d", i+1), path, true, func() (int, error) { return ask(e.client.Voter(i), false) })
	}
}

func (e *examination) key(flag, path string, given bool, ask func() (int, error)) {
	if !given {
		return
	}
	switch status, err := ask(); {
	case err != nil:
		e.note(flag, Fail, "see that the host answers", "GET %s with it: %v", path, err)
	case refused(status):
		e.note(flag, Fail, "give another key, or have the host know this one", "GET %s with it is refused with %d", path, status)
	case status >= 500:
		e.note(flag, Warn, "look into the log of the host", "GET %s with it is answered with %d", path, status)
	default:
		e.note(flag, OK, "", "GET %s with it is answered with %d", path, status)
	}
}

func refused(status int) bool {
	return status == http.StatusUnauthorized || status == http.StatusForbidden
}

// seams checks for test seams by GET. A seam that only takes POST either answers 405, or cannot be seen this way.
func (e *examination) seams(ctx context.Context, p *scenarios.Protocol) {
	prefixes := e.Seams
	if len(prefixes) == 0 {
		prefixes = []string{p.SeamPrefix}
	}
	var there, unsure []string
	for _, name := range seamNames(p) {
		found := false
		for _, prefix := range prefixes {
			ctx, cancel := context.WithTimeout(ctx, checkTimeout)
			reply, err := e.client.Do(ctx, wire.Call{Method: http.MethodGet, Path: prefix + name, Label: "is there a seam"})
			cancel()
			if errors.Is(err, wire.ErrNoAnswer) {
				e.note("seams", Warn, "see that the host answers", "GET %s: %v", prefix+name, err)
				return
			}
			found = found || err == nil && reply.Status != http.StatusNotFound && reply.Status != http.StatusNotImplemented
		}
		if found {
			there = append(there, strings.TrimPrefix(name, "/"))
		} else {
			unsure = append(unsure, strings.TrimPrefix(name, "/"))
		}
	}
	if len(there) == 0 {
		e.note("seams", Warn, "name their prefix with --seam-prefix, or wire them (docs/seams.md); many scenarios do without",
			"none is seen below %s by GET; a host may hide what takes POST alone", strings.Join(prefixes, ", "))
		return
	}
	seen := fmt.Sprintf("%d are there below %s: %s", len(there), strings.Join(prefixes, ", "), strings.Join(there, ", "))
	if len(unsure) > 0 {
		seen += fmt.Sprintf("; not seen by GET: %s", strings.Join(unsure, ", "))
	}
	e.note("seams", OK, "", "%s", seen)
}

// seamNames returns the paths of seams in the spec, below their prefix, without those that have parameters.
func seamNames(p *scenarios.Protocol) []string {
	var doc struct {
		Paths map[string]json.RawMessage `json:"paths"`
	}
	if err := json.Unmarshal(p.Spec(), &doc); err != nil {
		return nil // cannot happen: tests parse the generated spec
	}
	var out []string
	for path := range doc.Paths {
		if name, ok := strings.CutPrefix(path, p.SeamPrefix); ok && !strings.Contains(name, "{") {
			out = append(out, name)
		}
	}
	return sorted(out)
}

// fixtures checks that the discovery document lists every fixture workflow.
func (e *examination) fixtures(p *scenarios.Protocol, document wire.Value) {
	listed := map[string]bool{}
	if list, ok := document.Key("fixtures").Actual().([]any); ok {
		for _, id := range list {
			if id, ok := id.(string); ok {
				listed[id] = true
			}
		}
	}
	files, err := fs.ReadDir(p.Fixtures, ".")
	if err != nil {
		return // cannot happen: they are embedded
	}
	var missing []string
	for _, f := range files {
		if id := strings.TrimSuffix(f.Name(), ".json"); !listed[id] {
			missing = append(missing, id)
		}
	}
	load := "load the fixtures into the host (assay fixtures export DIR writes them) and list them under /fixtures"
	if p.Salt != "" {
		load = "load the fixtures of this salt into the host (assay fixtures export --salt writes them) and list them under /fixtures"
	}
	switch {
	case len(missing) == len(files):
		e.note("fixtures", Warn, load, "none of the %d fixture workflows is listed: what needs them will be blocked", len(files))
	case len(missing) > 0:
		e.note("fixtures", Warn, load, "%d of %d fixture workflows are not listed: %s", len(missing), len(files),
			strings.Join(missing[:min(len(missing), 6)], ", "))
	default:
		e.note("fixtures", OK, "", "all %d fixture workflows are listed", len(files))
	}
}
