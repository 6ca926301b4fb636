package main

import (
	"bytes"
	"errors"
	"fmt"
	"testing"

	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/tools/assay/internal/catalogue"
	"github.com/openassay/assay/tools/specgen"
)

func TestExitCode(t *testing.T) {
	for _, c := range []struct {
		err  error
		want int
	}{
		{nil, 0},
		{errors.New("disk full"), 1},
		{usage("no such thing"), 2},
		{fmt.Errorf("certify: %w", &scenarios.UsageError{Kind: "suite", Name: "x"}), 2},
		{&catalogue.UnknownError{What: "x"}, 2},
		{errors.Join(nil, &specgen.SpecError{}), 2},
		{fmt.Errorf("certify: %w: gone", scenarios.ErrUnreachable), 3},
		{fmt.Errorf("certify: %w", scenarios.ErrNoDiscovery), 3},
		{fmt.Errorf("certify: %w", scenarios.ErrNothingSelected), 4},
		{&exit{Code: 6}, 6},
		{fmt.Errorf("certify: %w", &exit{Code: 130}), 130},
	} {
		if got := exitCode(c.err); got != c.want {
			t.Errorf("exit code of %v is %d, want %d", c.err, got, c.want)
		}
	}
}

func TestReport(t *testing.T) {
	for _, c := range []struct {
		name string
		err  error
		want string
	}{
		{"nothing went wrong", nil, ""},
		{"all was said already", &exit{Code: 1}, ""},
		{"one line", errors.New("read x: gone"), "assay: read x: gone\n"},
		{"a line each", errors.Join(errors.New("a: b"), errors.New("c: d")), "assay: a: b\nassay: c: d\n"},
		{"a target's own words", errors.New("got \x1b[31m\u202e"), `assay: got \x1b[31m\u202e` + "\n"},
	} {
		t.Run(c.name, func(t *testing.T) {
			var out bytes.Buffer
			report(&out, c.err)
			if out.String() != c.want {
				t.Errorf("got %q, want %q", out.String(), c.want)
			}
		})
	}
}

func TestParseHeader(t *testing.T) {
	for _, c := range []struct {
		in, name, value string
		ok              bool
	}{
		{"X-Tenant: a=b:c", "X-Tenant", "a=b:c", true},
		{"x-tenant=a: b", "X-Tenant", "a: b", true},
		{"X-Empty:", "X-Empty", "", true},
		{"no separator", "", "", false},
		{": value", "", "", false},
		{"two words: x", "Two Words", "x", false},
		{"X: a\r\nY: b", "X", "a\r\nY: b", false},
		{"X\x1b: a", "", "a", false},
	} {
		name, value, ok := parseHeader(c.in)
		if ok != c.ok || ok && (name != c.name || value != c.value) {
			t.Errorf("parseHeader(%q) = %q, %q, %v", c.in, name, value, ok)
		}
	}
}
