package verify_test

import (
	"os"
	"testing"

	"github.com/openassay/assay/reports/bundle"
	"github.com/openassay/assay/tools/verify"
)

func TestZZProf(t *testing.T) {
	p := os.Getenv("ZZ_BUNDLE")
	if p == "" {
		t.Skip()
	}
	b, err := bundle.ReadFile(p)
	if err != nil {
		t.Fatal(err)
	}
	seed := uint64(7)
	r := verify.Bundle(b, verify.Options{Challenge: &seed})
	t.Log(r.Challenge.Sentence())
}
