// Package faulttest holds a catalogue of faults to the rules that they replace and to the ledger whose rows they break. Only
// tests use it.
package faulttest

import (
	"os"
	"path/filepath"
	"reflect"
	"testing"

	"go.yaml.in/yaml/v3"
)

// Provable are the requirements in the ledgers of a folder, each with whether a scenario proves it, or is to prove it.
func Provable(t testing.TB, folder string) map[string]bool {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(folder, "*.yaml"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no ledger: %v", err)
	}
	out := map[string]bool{}
	for _, file := range files {
		content, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		var ledger struct {
			Requirements []struct{ ID, Reason string }
		}
		if err := yaml.Unmarshal(content, &ledger); err != nil {
			t.Fatal(err)
		}
		for _, r := range ledger.Requirements {
			out[r.ID] = r.Reason == "" || r.Reason == "planned"
		}
	}
	return out
}

// Functions are the rules of a set, a struct of themes that are structs of functions, by theme and name.
func Functions(set any) map[string]reflect.Value {
	out := map[string]reflect.Value{}
	for theme, rulesOf := range reflect.ValueOf(set).Fields() {
		for rule, value := range rulesOf.Fields() {
			out[theme.Name+"."+rule.Name] = value
		}
	}
	return out
}

// Replaced counts the rules of a set that are not the honest ones, and takes them out of unbroken. No rule may be missing; id is
// what replaced them.
func Replaced(t testing.TB, id string, honest, set any, unbroken map[string]reflect.Value) (changed int) {
	t.Helper()
	before := Functions(honest)
	for name, rule := range Functions(set) {
		if rule.IsNil() {
			t.Errorf("%s: rule %s is missing", id, name)
		}
		if rule.Pointer() != before[name].Pointer() {
			changed++
			delete(unbroken, name)
		}
	}
	return changed
}
