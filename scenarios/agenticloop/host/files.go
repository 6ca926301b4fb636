package host

import (
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/check"
	"github.com/openassay/assay/scenarios/wire"
)

// KeepsLines matches the text of a file that has every line of before, wherever it stands (AL-R19). Of a file that is listed in part
// nothing is known but how it begins.
func KeepsLines(before wire.Value) check.Matcher {
	text := before.Key("text").String()
	return check.Seeing(fmt.Sprintf("the %d bytes of before, and more", len(text)), func(s wire.Seen) (bool, string) {
		now, _ := s.Actual().(string)
		kept := strings.HasPrefix(now, text)
		if whole, _ := before.Key("whole").Bool(); whole && !kept {
			kept = true
			lines := slices.Collect(strings.Lines(now + "\n"))
			for line := range strings.Lines(text) {
				kept = kept && slices.Contains(lines, line)
			}
		}
		return kept, fmt.Sprintf("%d bytes: %s", len(now), wire.Compact(now))
	})
}

// CheckArtifactsKept checks that no file below artifacts/ lost a line between two listings of a workspace. A file may grow, as a log
// does, or go. The path stands between before and after in the label of a check.
func CheckArtifactsKept(j *scenarios.Judge, id scenarios.RequirementID, was, now wire.Value, before, after string) {
	files, _ := was.Actual().(Object)
	for _, name := range slices.Sorted(maps.Keys(files)) {
		old, text := was.Key(name), now.Key(name).Key("text")
		if strings.HasPrefix(name, "artifacts/") && old.Key("text").Present() && text.Present() {
			j.Check(id, text).To(KeepsLines(old), "%s%s, %s", before, name, after)
		}
	}
}

// RelativePaths matches a list of clean paths that stay in their folder. It may be empty or absent.
func RelativePaths() check.Matcher {
	return check.That("a list of relative paths, which may be empty", func(v any) bool {
		paths, isList := v.([]any)
		escapes := slices.ContainsFunc(paths, func(p any) bool {
			s, _ := p.(string)
			return s == "" || strings.HasPrefix(s, "/") || strings.HasPrefix(s, "..") ||
				path.Clean(s) != strings.TrimPrefix(s, "./")
		})
		return (isList || v == nil) && !escapes
	})
}

// PathsIn matches a list of paths that lead to files of the workspace.
func PathsIn(files, list wire.Value) check.Matcher {
	return check.Seeing("paths of files of the workspace", func(wire.Seen) (bool, string) {
		for _, p := range list.Items() {
			file := files.Key(path.Clean(p.String()))
			kind := file.Key("kind").String()
			if kind != "file" && (kind != "link" || file.Key("inside").Actual() != true) {
				return false, p.JSON() + " is not there"
			}
		}
		return true, list.JSON()
	})
}
