package openintent

import (
	"net/http"
	"strings"
)

// cost returns what requests ask for: an intent, which is what a run is here.
func cost(method, path, _ string) (runs, turns int) {
	if method == http.MethodPost && strings.HasSuffix(path, "/intents") && !strings.Contains(path, "/portfolios/") {
		return 1, 0
	}
	return 0, 0
}
