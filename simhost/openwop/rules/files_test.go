package rules

import (
	"errors"
	"strings"
	"testing"

	"github.com/openassay/assay/gen/openwopv1"
)

func TestHonestFiles(t *testing.T) {
	f := Honest().Files
	judged, err := f.Ahead("p", func() error { return errors.New("must not be asked") })
	served, ok := f.Serves(2, 1, 3)
	_, older := f.Serves(1, 2, 3)
	_, newer := f.Serves(4, 2, 3)
	told, tells := f.Told(openwopv1.WorkspaceUpdatedPayload{Path: "p", Version: 2}, "content")
	for _, c := range []struct {
		rule string
		ok   bool
	}{
		{"the protocol's pattern", f.Fits("a/..") && !f.Fits("/a") && f.Fits(strings.Repeat("x", 256)) && !f.Fits(strings.Repeat("x", 257))},
		{"two dots lead up", f.Climbs("..") && !f.Climbs("..a")},
		{"strong etags", f.Etag(2, "") == `"2-e3b0c442"`},
		{"another etag for each version", f.Etag(1, "a") != f.Etag(2, "a")},
		{"versions count on", f.Next(0, false) == 1 && f.Next(3, false) == 4 && f.Next(3, true) == 4},
		{"the same again is a version", f.Counts(func() bool { return true })},
		{"overwritten without a condition", f.Overwrites(true) && f.Overwrites(false)},
		{"with the etag there is", f.Holds(FileCondition{IfMatch: `"1"`, Etag: `"1"`}) && !f.Holds(FileCondition{IfMatch: `"1"`, Etag: `"2"`})},
		{"with any, of a file that exists", f.Holds(FileCondition{IfMatch: "*", Etag: `"1"`}) &&
			!f.Holds(FileCondition{IfMatch: "*", Version: 2})},
		{"judged in its turn", !judged && err == nil},
		{"sizes in bytes", f.Bytes("é") == 2},
		{"room for the last", f.Room(2, 3, false) && !f.Room(3, 3, false) && f.Room(3, 3, true)},
		{"what was deleted is gone", f.Gone(ReadsFile, "p") && f.Gone(DeletesFile, "p") && f.Gone(ListsFiles, "")},
		{"prefixes of letters", f.Lists("ab/c", "a") && f.Lists("a", "") && !f.Lists("a", "ab")},
		{"what is kept is served", ok && served == 2 && !older && !newer},
		{"the log tells path and version", tells && told.Path == "p" && told.Version == 2 && told.Content == ""},
	} {
		if !c.ok {
			t.Errorf("not so: %s", c.rule)
		}
	}
}
