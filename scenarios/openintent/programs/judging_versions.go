package programs

import (
	"github.com/openassay/assay/gen/openintent"
	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/check"
	"github.com/openassay/assay/scenarios/openintent/claims"
)

// versionNamed accepts any 4xx where what was named is no number: a server may read it as no version at all.
var versionNamed = scenarios.Scenario{
	ID:     "openintent/programs/version-named",
	Title:  "at each of many versions, a write that names another version is refused and changes nothing, however similar the two are",
	Proves: scenarios.IDs{openintent.OIP00012}, Claim: claims.Core,
	Ask: scenarios.Ask(drawnVersions, func(o VersionsObservation, j *scenarios.Judge) {
		for _, w := range o.Writes {
			version, _ := w.Before.Body.Key("version").Int()
			accepted := []int{409, 412}
			if !w.Number {
				accepted = []int{4}
			}
			if refused := j.Check(openintent.OIP00012, w.Wrong.Status).To(check.Status(accepted...),
				"%s: %s at version %d", w.Wrong.Asked, w.Named, version); refused {
				for _, pointer := range []string{"/version", "/state", "/status"} {
					j.Check(openintent.OIP00012, w.After.Body.At(pointer)).
						To(check.SameAs(w.Before.Body.At(pointer)), "%s after it", pointer)
				}
			}
			if !w.Right.Ok() {
				j.Block("setup failed: "+w.Right.Asked+" was answered with HTTP "+w.Right.Status.JSON(),
					"make POST /intents/{id}/state take a write whose If-Match is the version of the intent")
			}
		}
		if last, _ := o.End.Body.Key("version").Int(); int(last) < len(o.Writes) {
			j.Block("setup failed: writes left the version unchanged, so there are no old ones",
				"raise the version of an intent with every write, and answer with it")
		}
	}),
}
