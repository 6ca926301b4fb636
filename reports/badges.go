package reports

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/openassay/assay/gen/results"
	"github.com/openassay/assay/reports/badge"
	"github.com/openassay/assay/reports/excerpt"
)

// BadgesDir is the badge folder below the report folder. It holds badge-PROFILE.svg, and badge-PROFILE.json for
// shields.io.
const BadgesDir = "badges"

const badgePrefix = "badge-"

// badges returns two files for each profile, of its newest revision: who sees a badge does not know that there is a newer one.
// remark is what has to be known of the certification; see [badge.Of].
func badges(profiles []results.ProfileResult, remark string) ([]file, error) {
	var out []file
	taken := map[string]bool{}
	for _, p := range profiles {
		if p.Superseded != "" {
			continue
		}
		name := badgeName(p.ID)
		for i := 2; taken[name]; i++ {
			name = fmt.Sprintf("%s-%d", badgeName(p.ID), i)
		}
		taken[name] = true
		known := slices.DeleteFunc([]string{excerpt.LeftOut(p), remark}, func(s string) bool { return s == "" })
		b := badge.Of(p, strings.Join(known, "; "))
		endpoint, err := b.Endpoint()
		if err != nil {
			return nil, fmt.Errorf("badge of %s: %w", p.ID, err)
		}
		out = append(out, file{filepath.Join(BadgesDir, name+".svg"), made(b.SVG())}, file{filepath.Join(BadgesDir, name+".json"),
			made(endpoint)})
	}
	return out, nil
}

// badgeName returns the name of a profile's badge without its extension. Unsafe characters are replaced, so that a
// foreign id cannot lead out of the folder.
func badgeName(profile string) string {
	const most = 80
	safe := strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '-' || r == '_' || r == '.' {
			return r
		}
		return '-'
	}, profile)
	return badgePrefix + safe[:min(len(safe), most)]
}

// removeStaleBadges removes the badges of profiles outside this run. The mark in a picture identifies it as ours; the
// document of the same name goes with it.
func removeStaleBadges(dir string, files []file) error {
	entries, err := os.ReadDir(filepath.Join(dir, BadgesDir))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	for _, e := range entries {
		name, isPicture := strings.CutSuffix(e.Name(), ".svg")
		kept := slices.ContainsFunc(files, func(f file) bool { return f.name == filepath.Join(BadgesDir, e.Name()) })
		if kept || !isPicture || !strings.HasPrefix(name, badgePrefix) || !e.Type().IsRegular() {
			continue
		}
		path := filepath.Join(dir, BadgesDir, name)
		if !isBadge(path + ".svg") {
			continue
		}
		for _, ending := range []string{".svg", ".json"} {
			if err := os.Remove(path + ending); err != nil && !errors.Is(err, fs.ErrNotExist) {
				return err
			}
		}
	}
	return nil
}

func isBadge(path string) bool {
	f, err := os.Open(path)
	if err != nil {
		return false
	}
	defer f.Close()
	head, err := io.ReadAll(io.LimitReader(f, 2<<10)) // the mark precedes the drawing
	return err == nil && bytes.Contains(head, []byte(badge.Mark))
}
