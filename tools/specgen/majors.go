package specgen

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"strings"

	"github.com/openassay/assay/internal/lazyregexp"
	"github.com/openassay/assay/tools/specgen/internal/golang"
)

// major is what one major version of a protocol adds to the ledger of all.
type major struct {
	Name     string // V1, or nothing where a package holds one version
	Rows     []ledgerRow
	Readings []reading
}

var majorForm = lazyregexp.New(`^v[1-9][0-9]*$`)

// majors makes the package that holds the requirements and readings of every version below dir. Versions share the ids: what
// one took no other may use, or a verdict would not say which sentence it is about.
func majors(dir, pkg string) (map[string][]byte, error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, fmt.Errorf("read spec folder: %w", err)
	}
	var of []major
	var bad problems
	taken := map[string]string{}
	for _, e := range entries {
		if !e.IsDir() || !majorForm.MatchString(e.Name()) {
			continue
		}
		m, err := readMajor(filepath.Join(dir, e.Name()))
		if err := bad.take(err); err != nil {
			return nil, err
		}
		for _, r := range m.Rows {
			if first := taken[r.Const]; first != "" {
				bad.add(&SpecError{File: filepath.Join(dir, e.Name()), Problem: fmt.Sprintf("the id %s is taken by %s", r.ID, first),
					Mend: "choose the next free one"})
			}
			taken[r.Const] = e.Name()
		}
		of = append(of, m)
	}
	if len(of) == 0 {
		bad.add(&SpecError{File: dir, Problem: "holds no version", Mend: "put each major version into a folder like v1"})
	}
	if err := bad.err(); err != nil {
		return nil, err
	}
	files, err := ledgerFile(pkg, of)
	if err != nil {
		return nil, err
	}
	readings, err := readingsOf(pkg, of)
	if err != nil {
		return nil, err
	}
	maps.Copy(files, readings)
	doc := comment(fmt.Sprintf("Package %s holds the requirements of every major version of a protocol, and how they are read.", pkg))
	files["doc.gen.go"], err = tidy(golang.Header + "\n" + doc + "\npackage " + pkg + "\n")
	return files, err
}

func readMajor(dir string) (major, error) {
	m := major{Name: strings.ToUpper(filepath.Base(dir))}
	f, err := loadLedger(dir)
	if err != nil {
		return m, err
	}
	var bad problems
	m.Rows, err = readLedger(f)
	if err := bad.take(err); err != nil {
		return m, err
	}
	m.Readings, err = readReadings(f, m.Rows)
	if err := bad.take(err); err != nil {
		return m, err
	}
	return m, bad.err()
}
