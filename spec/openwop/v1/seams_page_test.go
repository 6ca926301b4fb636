package spec_test

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

const (
	seamsPage  = "../../../docs/seams.md"
	seamPrefix = "/v1/host/sample" // what openapi.yaml has where the page says {prefix}
)

func readPage(t *testing.T) string {
	t.Helper()
	b, err := os.ReadFile(seamsPage)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// A maintainer who has loaded what the page lists has loaded all, and finds every file that it names.
func TestSeamsPageNamesTheFixtures(t *testing.T) {
	page := readPage(t)
	for _, path := range fixtures(t) {
		id := strings.TrimSuffix(filepath.Base(path), ".json")
		if strings.HasPrefix(id, "assay-") && !strings.Contains(page, "| `"+id+"` |") {
			t.Errorf("%s has no row for the fixture %s", seamsPage, id)
		}
	}
	for _, m := range regexp.MustCompile("`((?:assay|conformance)-[a-z-]+)`").FindAllStringSubmatch(page, -1) {
		if m[1] == "assay-seam" {
			continue // the mark of requirements
		}
		if _, err := os.Stat("fixtures/" + m[1] + ".json"); err != nil {
			t.Errorf("%s names %s, which is no fixture", seamsPage, m[1])
		}
	}
}

// The inputs that the page promises to have an effect have one, and every port can be fed.
func TestSeamsPageNamesTheInputs(t *testing.T) {
	rows := 0
	for _, cells := range tableRows(readPage(t)) {
		m := regexp.MustCompile("^`(assay-[a-z-]+)`$").FindStringSubmatch(cells[0])
		if m == nil {
			continue
		}
		rows++
		w := readJSON[workflow](t, "fixtures/"+m[1]+".json")
		named := quoted(cells[1])
		var effective []string // what else a value of the caller's own may end up in
		in, out := w.mappings()
		for _, m := range in {
			for _, source := range m {
				effective = append(effective, fmt.Sprint(source))
			}
		}
		for _, m := range out {
			effective = append(effective, sorted(m)...) // stays as it was where nothing is harvested
		}
		for _, n := range w.Nodes {
			for _, in := range n.Inputs {
				effective = append(effective, in.VariableName)
				if in.Type == "variable" && !slices.Contains(named, in.VariableName) {
					t.Errorf("%s: %s has a port that reads %q, which is not among its inputs", seamsPage, m[1], in.VariableName)
				}
			}
		}
		for _, name := range named {
			if !slices.Contains(effective, name) {
				t.Errorf("%s: nothing reads the input %q of %s", seamsPage, name, m[1])
			}
		}
	}
	if rows == 0 {
		t.Errorf("%s has no table of fixtures", seamsPage)
	}
}

func TestSeamsPageNamesTheOperations(t *testing.T) {
	page := readPage(t)
	for path, item := range object(readAPI(t)["paths"]) {
		for method, op := range object(item) {
			tags, _ := object(op)["tags"].([]any)
			if !slices.Contains(tags, any("seams")) && !slices.Contains(tags, any("goals")) {
				continue
			}
			below, ok := strings.CutPrefix(path, seamPrefix)
			if !ok {
				t.Errorf("%s is not below %s", path, seamPrefix)
			}
			if name := fmt.Sprintf("`%s {prefix}%s`", strings.ToUpper(method), below); !strings.Contains(page, name) {
				t.Errorf("%s does not name %s", seamsPage, name)
			}
		}
	}
}

// A table headed "field of `schema`" gives each field its type and says whether it is required, as the schema does.
// Those of the seams and of goals are whole.
func TestSeamsPageTables(t *testing.T) {
	c := ours(t)
	described := map[string][]string{}
	schema := ""
	for line := range strings.SplitSeq(readPage(t), "\n") {
		cells := row(line)
		switch {
		case cells == nil:
			schema = ""
		case strings.HasPrefix(cells[0], "field of "):
			schema = quoted(cells[0])[0]
		case schema == "" || strings.HasPrefix(cells[0], "-"):
		default:
			field := strings.Trim(cells[0], "`")
			described[schema] = append(described[schema], field)
			if problem := c.contradicts(t, schema, field, cells[1]); problem != "" {
				t.Errorf("%s: `%s` of %s: %s", seamsPage, field, schema, problem)
			}
		}
	}
	for _, name := range []string{
		"agentloop-request", "agentloop-reply", "workspace-op-request", "WorkspaceOpReply", "CreateGoalRequest", "EditGoalRequest", "goal",
		"goal-tick-request", "goal-tick-reply", "goal-event", "goal.evaluated", "goal.closed", "heartbeat-tick-request", "heartbeat-tick-reply",
		"verify-run-request", "verify-run-reply", "mock-ai-program-request", "mock-ai-program-reply", "llm-cache-key-request",
		"llm-cache-key-reply",
		"run-snapshot#PendingInterrupt", // of a run itself only what suites read
	} {
		_, s := c.resolve(c.named(t, name))
		for _, field := range sorted(object(object(s.node)["properties"])) {
			if !slices.Contains(described[name], field) {
				t.Errorf("%s: the table of %s lacks `%s`", seamsPage, name, field)
			}
		}
	}
}

// named is the schema that the page calls so: a file, a definition in a file, a component of openapi.yaml, or the payload of
// an event type.
func (c *corpus) named(t *testing.T, name string) place {
	t.Helper()
	file, definition, _ := strings.Cut(name, "#")
	ref := base + file + ".schema.json"
	switch {
	case definition != "":
		ref += "#/$defs/" + definition
	case strings.Contains(name, "."):
		ref = payloadSchema(t, c, name)
	case strings.ToLower(name) != name:
		ref = apiID + "#/components/schemas/" + name
	}
	if id, pointer, _ := strings.Cut(ref, "#"); c.at(id, pointer) == nil {
		t.Fatalf("%s: there is no schema %s", seamsPage, name)
	}
	return place{apiID, map[string]any{"$ref": ref}}
}

// contradicts compares a row with the schema: the path of the field, its type, and whether it is required.
func (c *corpus) contradicts(t *testing.T, schema, field, says string) string {
	t.Helper()
	_, at := c.resolve(c.named(t, schema))
	required := false
	for name := range strings.SplitSeq(field, ".") {
		parent := object(at.node)
		node, ok := object(parent["properties"])[name]
		if !ok {
			return "the schema has no such field"
		}
		list, _ := parent["required"].([]any)
		required = slices.Contains(list, any(name))
		_, at = c.resolve(place{at.id, node})
	}
	word, rest, _ := strings.Cut(says, ",")
	if got := strings.TrimSpace(rest) == "required"; got != required {
		return fmt.Sprintf("required is %v in the schema", required)
	}
	word, least, bounded := strings.Cut(word, " ≥ ")
	if types := meaning("type", object(at.node)["type"]).([]string); len(types) > 0 && !slices.Contains(types, `"`+word+`"`) ||
		len(types) == 0 && word != "any" {
		return fmt.Sprintf("its type is %v in the schema", types)
	}
	minimum, ok := object(at.node)["minimum"]
	if bounded && (!ok || fmt.Sprint(minimum) != least) {
		return fmt.Sprintf("its minimum is %v in the schema", minimum)
	}
	return ""
}

// tableRows are the rows of all tables, by cell.
func tableRows(page string) [][]string {
	var out [][]string
	for line := range strings.SplitSeq(page, "\n") {
		if cells := row(line); cells != nil {
			out = append(out, cells)
		}
	}
	return out
}

// row is a line of a table as its cells; nil for another line.
func row(line string) []string {
	inner, ok := strings.CutPrefix(line, "|")
	if !ok {
		return nil
	}
	cells := strings.Split(strings.TrimSuffix(inner, "|"), "|")
	for i := range cells {
		cells[i] = strings.TrimSpace(cells[i])
	}
	return cells
}

// quoted are the names in a cell.
func quoted(cell string) []string {
	var out []string
	for _, m := range regexp.MustCompile("`([^`]+)`").FindAllStringSubmatch(cell, -1) {
		out = append(out, m[1])
	}
	return out
}
