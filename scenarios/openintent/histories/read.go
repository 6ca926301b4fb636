package histories

import (
	"net/http"
	"strings"

	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/explore"
	"github.com/openassay/assay/scenarios/wire"
)

// Read holds what a transcript tells of objects against the models of them. It knows nothing of what others did to an object that the
// transcript does not tell: an object that writes to others name is left out.
func Read(discovery scenarios.Discovery, t *wire.Transcript) []explore.Told {
	all := explore.Exchanges(t)
	if inherits(all) {
		return nil
	}
	return questions.Tell("questions", readQuestions(discovery, t, all))
}

// inherits reports whether a suspension without a window may have one all the same: that of the platform (OIP-R128).
func inherits(all []explore.Exchange) bool {
	inherits := true
	for _, x := range all {
		if x.Method == http.MethodGet && strings.HasSuffix(x.Path, "/server/config") && x.Code > 0 {
			inherits = x.Body.At("/suspension/default_retry_policy").Actual() != nil
		}
	}
	return inherits
}
