package specgen

import (
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

var codeSpan = regexp.MustCompile("``(.+?)``|`([^`]+)`")

func spans(cell string) []string {
	var out []string
	for _, m := range codeSpan.FindAllStringSubmatch(cell, -1) {
		out = append(out, strings.TrimSpace(m[1]+m[2]))
	}
	return out
}

// Each row of the tables of docs/generate.md is generated, and what it says of the Go is looked for.
func TestTheTablesOfThePageAreTrue(t *testing.T) {
	page, err := os.ReadFile("../../docs/generate.md")
	if err != nil {
		t.Fatal(err)
	}
	heading, rows := "", 0
	for line := range strings.Lines(string(page)) {
		if title, ok := strings.CutPrefix(line, "## "); ok {
			heading = strings.TrimSpace(title)
		}
		cells := strings.Split(line, " | ")
		if heading != "Schemas" && heading != "Operations" || !strings.HasPrefix(line, "| `") || len(cells) != 2 {
			continue
		}
		rows++
		t.Run(spans(cells[0])[0], func(t *testing.T) {
			code, err := madeOf(t, heading, spans(cells[0])[0])
			if strings.HasPrefix(cells[1], "refused") {
				if err == nil || !strings.Contains(err.Error(), spans(cells[1])[0]) {
					t.Errorf("got the error %v", err)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			for _, want := range spans(cells[1]) {
				if !strings.Contains(code, oneSpace(want)) {
					t.Errorf("nothing there is %s", want)
				}
			}
		})
	}
	if rows < 35 {
		t.Errorf("the page has %d rows", rows)
	}
}

// madeOf generates from a schema or an operation, and returns the code without its lines and columns.
func madeOf(t *testing.T, heading, text string) (string, error) {
	dir := t.TempDir()
	api := "openapi: 3.1.0\ninfo: {title: T, version: '1'}\n"
	if heading == "Schemas" {
		const animal = `{type: object, required: [kind], properties: {kind: {const: `
		api += "paths: {}\ncomponents: {schemas: {T: " + text + ", Cat: " + animal + "cat}}}, Dog: " + animal + "dog}}}}}\n"
	} else {
		api += "paths: {'/x/{id}': {post: {operationId: op, " + strings.TrimPrefix(text, "{") + "}}\n"
	}
	writeFile(t, filepath.Join(dir, "openapi.yaml"), api)
	out, err := Generate(t.Context(), Options{Spec: dir, Into: filepath.Join(dir, "into"), Package: "made"})
	if err != nil {
		return "", err
	}
	var code strings.Builder
	for _, name := range slices.Sorted(maps.Keys(out.Files)) {
		if strings.HasSuffix(name, ".go") {
			code.Write(out.Files[name])
		}
	}
	return oneSpace(code.String()), nil
}

func oneSpace(s string) string { return strings.Join(strings.Fields(s), " ") }
