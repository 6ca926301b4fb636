package host

import (
	"context"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/openwop/claims"
	"github.com/openassay/assay/scenarios/openwop/dialect"
	"github.com/openassay/assay/scenarios/wire"
)

// Seam is a test-only endpoint found on the host.
type Seam struct {
	Host
	op wire.Operation
}

// Operation returns the operation that uses the seam.
func (s Seam) Operation() wire.Operation { return s.op }

// Path returns the seam's path.
func (s Seam) Path() string { return s.PathOf(s.op) }

// SeamPaths returns the prefixes seams can live under, in search order: the protocol names none, but a host may have a member of its
// own for them. Hosts alias some seams only, so each seam is searched for separately.
func (h Host) SeamPaths() []string {
	if len(h.SeamPrefixes) > 0 {
		return h.SeamPrefixes
	}
	vendor := claims.Family(h.Discovery, "implementation").Key("vendor").String()
	prefixes := advertisedSeams(h.Discovery.Document, false)
	for _, prefix := range h.Dialect().Seams {
		if filled := strings.ReplaceAll(prefix, "{vendor}", url.PathEscape(vendor)); vendor != "" || filled == prefix {
			prefixes = append(prefixes, filled)
		}
	}
	return distinct(prefixes)
}

// advertisedSeams returns the paths in members about seams, such as {"testSeams": {"prefix": "/v1/host/acme"}}. inside says that v is
// in such a member.
func advertisedSeams(v wire.Value, inside bool) (paths []string) {
	if path := strings.TrimSuffix(v.String(), "/"); inside && strings.HasPrefix(path, "/") && !strings.HasPrefix(path, "//") {
		return []string{path}
	}
	for _, e := range v.Items() {
		paths = append(paths, advertisedSeams(e, inside)...)
	}
	members, _ := v.Actual().(map[string]any)
	for _, name := range slices.Sorted(maps.Keys(members)) {
		paths = append(paths, advertisedSeams(v.Key(name), inside || strings.Contains(strings.ToLower(name), "seam"))...)
	}
	return paths
}

const nameSeams = "name the prefix under which the host's test seams live with --seam-prefix, or wire the seam (docs/seams.md)"

// FindSeam searches every prefix for a seam by sending it a minimal request. It returns the reply to that request.
func (h Host) FindSeam(ctx context.Context, name string, least any) (Seam, *wire.Reply) {
	prefixes := h.SeamPaths()
	for _, prefix := range prefixes {
		s := Seam{h, dialect.UseSeam.Of(strings.TrimSuffix(prefix, "/"), name)}
		reply := s.Ask(ctx, least)
		h.Adopt(reply)
		switch reply.Status {
		case http.StatusNotFound, http.StatusMethodNotAllowed, http.StatusNotImplemented:
		case http.StatusUnauthorized, http.StatusForbidden:
			scenarios.End(scenarios.Block("the seam "+s.Path()+" refuses the credential", "give a key that may use the test seams with --key"))
			return Seam{}, nil
		default:
			NoStub(s.Path(), reply)
			return s, reply
		}
	}
	scenarios.End(scenarios.Block("no seam "+name+" below "+strings.Join(prefixes, ", "), nameSeams))
	return Seam{}, nil
}

// NoStub ends the drive if a seam took a request and says nothing about it: it is a stub, which shows nothing about the host. One that
// says that there is nothing to say (204) may have done what it was asked for.
func NoStub(path string, reply *wire.Reply) {
	members, _ := reply.Value("").Actual().(map[string]any)
	if reply.Success() && reply.Status != http.StatusNoContent && len(members) == 0 {
		scenarios.End(scenarios.Block(fmt.Sprintf("the seam %s answers like a stub: HTTP %d and no member", path, reply.Status),
			"have the seam do what it is for (docs/seams.md), or leave it off"))
	}
}

// AgentLoopSeam finds the seam that drives a loop.
func (h Host) AgentLoopSeam(ctx context.Context) Seam {
	s, _ := h.FindSeam(ctx, "agentloop/run", dialect.AgentloopRequest{Turns: 1})
	return s
}

func (s Seam) Ask(ctx context.Context, body any) *wire.Reply {
	return s.Do(ctx, wire.Call{Operation: s.op, Body: body, Label: "seam " + s.Path()})
}

// SeamAnswered blocks the judge if the seam failed: a failing test endpoint proves nothing.
func SeamAnswered(j *scenarios.Judge, status wire.Value, path string) {
	if code, _ := status.Int(); code/100 != 2 {
		j.Block("the seam "+path+" answered HTTP "+status.JSON(), "have the seam answer valid requests (docs/seams.md), or leave it off")
	}
}

// distinct keeps the first of equal texts.
func distinct(texts []string) (out []string) {
	for _, t := range texts {
		if !slices.Contains(out, t) {
			out = append(out, t)
		}
	}
	return out
}
