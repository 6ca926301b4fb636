package matrix_test

import (
	"strings"
	"testing"
	"time"

	"github.com/openassay/assay/reports"
	"github.com/openassay/assay/reports/matrix"
	"github.com/openassay/assay/scenarios"
)

// Certifications of format 1 stand in a matrix as they were, whole or not, and the matrix says what they do not show.
func TestFormat1(t *testing.T) {
	var all []matrix.Certification
	for _, name := range []string{"whole", "part", "violated"} {
		doc, err := reports.Load("../testdata/format1/" + name + ".json")
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, matrix.Certification{Results: doc})
	}
	var out strings.Builder
	if err := matrix.New(map[string]*scenarios.Ledger{}, time.Now(), all).Markdown(&out); err != nil {
		t.Fatal(err)
	}
	said := out.String()
	for _, want := range []string{"| profile `suspension` | certified 37 of 37, ", ", a selection of the questions, format 1: ", "4 failed"} {
		if !strings.Contains(said, want) {
			t.Errorf("it does not say %q:\n%s", want, said)
		}
	}
	if n := strings.Count(said, "format 1: without violations seen outside the scenarios"); n != 3 {
		t.Errorf("%d of 3 are said to be of format 1", n)
	}
	if strings.Count(said, "| certified ") != 4 {
		t.Errorf("a part certifies something:\n%s", said)
	}
}
