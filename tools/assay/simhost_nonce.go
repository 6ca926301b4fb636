package main

import (
	"net/http"
	"slices"

	"github.com/openassay/assay/scenarios/wire"
	"github.com/openassay/assay/tools/internal/protocols"
)

// publishing has the discovery documents of the hosts carry the nonce, if there is one.
func (o *simhostFlags) publishing(api http.Handler) http.Handler {
	if o.nonce == "" {
		return api
	}
	var paths []string
	for _, name := range o.protocols {
		paths = append(paths, protocols.Named(name).DiscoveryPath)
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if slices.Contains(paths, r.URL.Path) {
			w.Header().Set(wire.NonceHeader, o.nonce)
		}
		api.ServeHTTP(w, r)
	})
}
