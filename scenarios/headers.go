package scenarios

import (
	"maps"
	"net/http"
	"slices"

	"github.com/openassay/assay/scenarios/wire"
)

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
