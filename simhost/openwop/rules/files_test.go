package rules

import (
	"strings"
	"testing"
)

func TestHonestFiles(t *testing.T) {
	f := Honest().Files
	first, _ := f.Next(FileWrite{})
	again, made := f.Next(FileWrite{Latest: 3, Exists: true, Same: func() bool { return true }})
	revived, _ := f.Next(FileWrite{Latest: 3})
	served, ok := f.Serves(2, 1, 3)
	_, older := f.Serves(1, 2, 3)
	_, newer := f.Serves(4, 2, 3)
	for _, c := range []struct {
		rule string
		ok   bool
	}{
		{"the protocol's pattern", f.Fits("a/...") && !f.Fits("/a") && f.Fits(strings.Repeat("x", 256)) && !f.Fits(strings.Repeat("x", 257))},
		{"two dots lead up", !f.Fits("a/../b") && !f.Fits("a/..") && f.Fits("a/..b")},
		{"versions count on", first == 1 && revived == 4},
		{"the same again is a version", again == 4 && made},
		{"overwritten without a condition", f.Holds(FileCondition{Etag: `"1"`}) && f.Holds(FileCondition{ByTurn: true})},
		{"with the etag there is", f.Holds(FileCondition{IfMatch: new(`"1"`), Etag: `"1"`}) &&
			!f.Holds(FileCondition{IfMatch: new(`"1"`), Etag: `"2"`})},
		{"with any, of a file that exists", f.Holds(FileCondition{IfMatch: new("*"), Etag: `"1"`}) &&
			!f.Holds(FileCondition{IfMatch: new("*"), Version: 2})},
		{"strong etags", f.Etag(2, "") == `"2-e3b0c442"`},
		{"another etag for each version", f.Etag(1, "a") != f.Etag(2, "a")},
		{"sizes in bytes", f.Bytes("é") == 2},
		{"room for the last", f.Room(2, 3, false) && !f.Room(3, 3, false) && f.Room(3, 3, true)},
		{"what was deleted is gone", f.Gone(ReadsFile, "p") && f.Gone(DeletesFile, "p") && f.Gone(ListsFiles, "")},
		{"what is kept is served", ok && served == 2 && !older && !newer},
	} {
		if !c.ok {
			t.Errorf("not so: %s", c.rule)
		}
	}
}
