// Package ledgertest compares a ledger of requirements with the source texts that it cites. Only tests use it: the texts
// are not part of this project, and where they are not at hand there is nothing to compare.
package ledgertest

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// Row says where a requirement stands in its source. A source without a file, like a schema, cannot be compared.
type Row struct {
	ID   string
	File string
	Line int    // from 1
	Hash string // of the sentence
}

// Sentence is one sentence of a source.
type Sentence struct {
	Section string // the nearest heading of level 2 above it, without its marks: "## Rules", or "2. Rules#" as pages turned into text have it
	Line    string // the whole line that it stands on
	Text    string
}

// heading is a heading of level 2 in a page that was turned into text.
var heading = regexp.MustCompile(`^(\d+\. .*)#$`)

var normative = regexp.MustCompile(`(?i)\b(must|shall|should|may|required|never)\b`)

// Normative says whether a sentence has one of the words that make it a requirement.
func Normative(s Sentence) bool { return normative.MatchString(s.Text) }

// Compare lists the sentences in the files of the rows that are demanded and that no row cites, and the rows that cite what is not there.
// The error is that of a file that cannot be read.
func Compare(sources string, rows []Row, demanded func(Sentence) bool) (problems []string, err error) {
	byFile := map[string][]Row{}
	var files []string
	for _, r := range rows {
		if r.File != "" && byFile[r.File] == nil {
			files = append(files, r.File)
		}
		byFile[r.File] = append(byFile[r.File], r)
	}
	for _, file := range files {
		text, err := os.ReadFile(filepath.Join(sources, file))
		if err != nil {
			return nil, err
		}
		problems = append(problems, compare(file, string(text), byFile[file], demanded)...)
	}
	return problems, nil
}

func compare(file, text string, rows []Row, demanded func(Sentence) bool) (problems []string) {
	there := map[string][]int{} // hash -> lines
	section := ""
	for i, line := range strings.Split(text, "\n") {
		if title, ok := strings.CutPrefix(line, "## "); ok {
			section = title
		} else if m := heading.FindStringSubmatch(line); m != nil {
			section = m[1]
		}
		for _, sentence := range sentences(line) {
			hash := hashOf(sentence)
			there[hash] = append(there[hash], i+1)
			cited := slices.ContainsFunc(rows, func(r Row) bool { return r.Hash == hash })
			if !cited && demanded(Sentence{section, line, sentence}) {
				problems = append(problems, fmt.Sprintf("%s:%d: no row cites %s: %.80s…", file, i+1, hash, sentence))
			}
		}
	}
	for _, r := range rows {
		switch lines := there[r.Hash]; {
		case len(lines) == 0:
			problems = append(problems, fmt.Sprintf("%s cites %s %s:%d, which is not there", r.ID, r.Hash, file, r.Line))
		case !slices.Contains(lines, r.Line):
			problems = append(problems, fmt.Sprintf("%s cites line %d, the sentence is on line %d", r.ID, r.Line, lines[0]))
		}
	}
	return problems
}

// sentences cuts a line the way the ledgers say.
func sentences(line string) []string {
	var out []string
	for s := range strings.SplitSeq(strings.Join(strings.Fields(line), " "), ". ") {
		if s = strings.TrimSuffix(s, "."); strings.TrimSpace(s) != "" {
			out = append(out, s)
		}
	}
	return out
}

func hashOf(sentence string) string {
	sum := sha256.Sum256([]byte(sentence))
	return hex.EncodeToString(sum[:])[:12]
}
