package scenarios

import (
	"fmt"
	"maps"
	"net/http"
	"slices"

	"github.com/openassay/assay/scenarios/wire"
)

// Unproved reports whether a scenario ended without showing whether the target keeps its promise.
func (o Outcome) Unproved() bool { return o.Verdict == Blocked || o.Verdict == Inconclusive }

// Shortcomings returns, a sentence each, what is wrong with a certification beside its scenarios: a credential that the
// target refuses, first; that nothing was proved; requirements violated where no scenario of theirs looked.
func (r *Report) Shortcomings() []string {
	var out []string
	if text := r.RefusedCredential(); text != "" {
		out = append(out, text)
	}
	if r.Totals()[Passed] == 0 {
		out = append(out, fmt.Sprintf("nothing was proved: none of %d scenarios passed", len(r.Outcomes)))
	}
	for _, b := range r.Breaches {
		if b.By != ByJudge {
			out = append(out, fmt.Sprintf("%s is violated, seen by the %s of %s at %s: %s", b.Requirement, b.By, b.Drive, b.Where, b.Actual))
		}
	}
	return out
}

// RefusedCredential says that the target refuses the credential, or returns "". It does if most replies are HTTP 401 or
// 403, and no request that makes something succeeds: a few are refused on purpose.
func (r *Report) RefusedCredential() string {
	answers, refused, status := 0, 0, 0
	for _, d := range r.Drives {
		if d.ID == discoveryDrive || d.Transcript == nil {
			continue
		}
		for n := 1; n <= d.Transcript.Len(); n++ {
			e := d.Transcript.Entry(n)
			if answered(e, http.MethodPost) || answered(e, http.MethodPut) {
				return ""
			}
			if e.Request == nil || e.Response == nil {
				continue
			}
			answers++
			if s := e.Response.Status; s == http.StatusUnauthorized || s == http.StatusForbidden {
				refused, status = refused+1, s
			}
		}
	}
	if 2*refused <= answers {
		return ""
	}
	return fmt.Sprintf("the target refuses the credential: %d of %d replies are HTTP %d", refused, answers, status)
}

// extraHeaders returns the names of the headers that the operator had added: their values are in no record.
func (r *Report) extraHeaders() []string {
	names := map[string]bool{}
	for _, d := range r.Drives {
		for n := 1; n <= d.Transcript.Len(); n++ {
			e := d.Transcript.Entry(n)
			if e.Kind == "inbound" || e.Request == nil {
				continue
			}
			for name, value := range e.Request.Header {
				if value == wire.Secret && name != "Authorization" && name != http.CanonicalHeaderKey(r.Protocol.KeyHeader) {
					names[name] = true
				}
			}
		}
	}
	return slices.Sorted(maps.Keys(names))
}
