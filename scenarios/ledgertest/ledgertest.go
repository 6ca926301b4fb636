// Package ledgertest tests ledgers of requirements, and compares them with the source texts that they cite. The texts are
// not part of this project; without them there is nothing to compare.
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

// Row is the place of a requirement in its source. A source without a file, such as a schema, cannot be compared.
type Row struct {
	ID   string
	File string
	Line int    // from 1
	Hash string // of the sentence
}

// Sentence is one sentence of a source.
type Sentence struct {
	Section string // the heading of level 2 above it, without marks: "## Rules", or "2. Rules#" in pages turned into text
	Line    string // the line that holds it
	Text    string
}

// heading matches a heading of level 2 in a page that was turned into text.
var heading = regexp.MustCompile(`^(\d+\. .*)#$`)

var normative = regexp.MustCompile(`(?i)\b(must|shall|should|may|required|never)\b`)

// Normative reports whether a sentence has a normative word.
func Normative(s Sentence) bool { return normative.MatchString(s.Text) }

// Compare returns the demanded sentences, in the files of the rows, that no row cites, and the rows that cite a missing
// sentence. The error is that of a file that cannot be read.
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

// sentences splits a line into sentences, as ledgers define them.
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
