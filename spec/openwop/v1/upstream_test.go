package spec_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestCatalogueIsThePublishedOne(t *testing.T) {
	if diff := cmp.Diff(catalogueOf(t, theirs(t)), catalogueOf(t, ours(t))); diff != "" {
		t.Errorf("event types (-published +ours):\n%s", diff)
	}
}

// otherwiseJudged are examples on which the published schema says something else than ours, by schema and name, with the reason.
var otherwiseJudged = map[string]string{
	"run-options.schema.json loop bound 0":                "the published schema lags behind the text, which reserves maxLoopIterations",
	"run-options.schema.json loop bound as a string":      "as above",
	"run-options.schema.json negative timeout":            "as above, for runTimeoutMs",
	"run-options.schema.json threshold above 1":           "as above, for escalationThreshold",
	"run-snapshot.schema.json parent is a number":         "parentRunId is not published; hosts send it",
	"run-snapshot.schema.json a file without its version": "workspace is not published; hosts send it",
	"capabilities.schema.json replay is a word":           "replay is not published; hosts send it",
	"suspend-request.schema.json data of another kind": "the published schema takes any of the shapes for any kind; the " +
		"text ties each kind to its own",
}

func TestExamplesUpstream(t *testing.T) {
	published, c := theirs(t), ours(t)
	known := map[string]bool{}
	compared := 0
	for id, e := range allExamples(t, c) {
		doc, _, _ := strings.Cut(id, "#")
		if published.docs[doc] == nil {
			continue // openapi.yaml and the seam: nothing is published to compare with
		}
		compared++
		for _, problem := range misjudged(t, published, id, e) {
			m := regexp.MustCompile(`^` + base + `([^:]+): "([^"]*)"`).FindStringSubmatch(problem)
			key := m[1] + " " + m[2]
			if otherwiseJudged[key] == "" {
				t.Errorf("upstream: %s", problem)
			}
			known[key] = true
		}
	}
	for key := range otherwiseJudged {
		if !known[key] {
			t.Errorf("upstream agrees on %s by now: strike it from otherwiseJudged", key)
		}
	}
	t.Logf("examples of %d schemas compared", compared)
}

// differences are places where our schemas say something else than the published ones, with the reason.
// A place is file#pointer keyword, below the nearest definition of ours; "ours alone" is a property that is not published.
var differences = map[string]string{
	"capabilities.schema.json#/properties/orchestrator ours alone": "hosts send it at the root beside agents.orchestrator",
	"capabilities.schema.json#/properties/dispatch ours alone":     "hosts send it at the root beside agents.dispatch",
	"capabilities.schema.json#/properties/replay ours alone":       "hosts send it; the text names it",

	"capabilities.schema.json#/$defs/ExecutionModel/properties/confidenceEscalationInterruptKind anyOf": "two constants or a pattern " +
		"are one pattern, and one Go string",
	"capabilities.schema.json#/$defs/ExecutionModel/properties/confidenceEscalationInterruptKind pattern": "as above",
	"capabilities.schema.json#/$defs/ReplayDeterminism/properties/llmCacheKeyRecipe anyOf":                "as above",
	"capabilities.schema.json#/$defs/ReplayDeterminism/properties/llmCacheKeyRecipe pattern":              "as above",

	"run-options.schema.json#/$defs/Configurable/properties/maxLoopIterations ours alone": "the text reserves it, " +
		"the published schema lags behind",
	"run-options.schema.json#/$defs/Configurable/properties/runTimeoutMs ours alone":        "as above",
	"run-options.schema.json#/$defs/Configurable/properties/escalationThreshold ours alone": "as above",

	"run-snapshot.schema.json#/properties/inputs ours alone":      "hosts send it, and published scenarios read it",
	"run-snapshot.schema.json#/properties/parentRunId ours alone": "hosts send it",
	"run-snapshot.schema.json#/properties/childRuns ours alone":   "hosts send it",
	"run-snapshot.schema.json#/properties/interrupt ours alone":   "hosts send it",
	"run-snapshot.schema.json#/properties/workspace ours alone": "hosts send it, and it is the one public place of a " +
		"run's snapshot of the files",

	"suspend-request.schema.json# allOf": "each kind is tied to its data, so that a " +
		"problem names the shape that was meant",
	"suspend-request.schema.json#/properties/data oneOf": "as above",
	"suspend-request.schema.json#/$defs/ConversationStartData " +
		"minProperties": "what oneOf brings about in the published schema: a bare conversationId fits two branches, hence none",
	"suspend-request.schema.json#/$defs/ConversationCloseData minProperties": "as above",

	"workflow-definition.schema.json#/properties/defaults additionalProperties": "prompt references are not covered here",
	"workflow-definition.schema.json#/$defs/ChannelAccess oneOf": "two words or an object, " +
		"without a union of strings and objects, of which no clean Go comes",
	"workflow-definition.schema.json#/$defs/ChannelAccess type":                          "as above",
	"workflow-definition.schema.json#/$defs/ChannelAccess if":                            "as above",
	"workflow-definition.schema.json#/$defs/ChannelAccess then":                          "as above",
	"workflow-definition.schema.json#/$defs/ChannelAccess additionalProperties":          "as above",
	"workflow-definition.schema.json#/$defs/ChannelAccess/properties/readers ours alone": "as above",
	"workflow-definition.schema.json#/$defs/ChannelAccess/properties/writers ours alone": "as above",
}

func TestSchemasUpstream(t *testing.T) {
	c := comparison{ours: ours(t), theirs: theirs(t), found: map[string]string{}, seen: map[string]bool{}}
	for _, id := range sorted(c.ours.docs) {
		if c.theirs.docs[id] == nil {
			continue
		}
		refs := []string{id}
		for _, def := range sorted(object(c.ours.docs[id]["$defs"])) {
			if object(c.theirs.docs[id]["$defs"])[def] != nil && def != "_typeIndex" {
				refs = append(refs, id+"#/$defs/"+def)
			}
		}
		for _, ref := range refs {
			node := map[string]any{"$ref": ref}
			c.schema(ref, place{id, node}, place{id, node})
		}
	}
	for _, where := range sorted(c.found) {
		if differences[where] == "" {
			t.Errorf("%s: %s", where, c.found[where])
		}
	}
	for where := range differences {
		if _, found := c.found[where]; !found {
			t.Errorf("nothing differs at %s: strike it from differences", where)
		}
	}
	t.Logf("%d definitions compared", len(c.seen))
}

// place is a schema and the document that its $refs are relative to.
type place struct {
	id   string
	node any
}

// comparison walks our schema and the published one side by side.
type comparison struct {
	ours, theirs *corpus
	found        map[string]string // where, and what differs
	seen         map[string]bool   // definitions of ours and what they were compared with
}

// words are keywords that decide nothing.
var words = []string{"$schema", "$id", "$defs", "$comment", "title", "description", "examples"}

func (c *comparison) schema(where string, a, b place) {
	mineAt, a := c.ours.resolve(a)
	theirsAt, b := c.theirs.resolve(b)
	if mineAt != "" { // a definition of ours is a place of its own, and need be compared once with the same thing
		where = strings.TrimPrefix(mineAt, base)
		pair := mineAt + " " + theirsAt
		if c.seen[pair] && theirsAt != "" {
			return
		}
		c.seen[pair] = true
	}
	mine, published := object(a.node), object(b.node)
	c.properties(where, a, b)
	keywords := append(sorted(mine), sorted(published)...)
	slices.Sort(keywords)
	for _, k := range slices.Compact(keywords) {
		x, y := mine[k], published[k]
		switch {
		case k == "properties" || slices.Contains(words, k):
		case (k == "oneOf" || k == "anyOf") && length(x) == length(y):
			for i := range length(x) {
				c.schema(fmt.Sprintf("%s/%s/%d", where, k, i), place{a.id, x.([]any)[i]}, place{b.id, y.([]any)[i]})
			}
		case (k == "items" || k == "additionalProperties") && len(object(x)) > 0 && len(object(y)) > 0:
			c.schema(where+"/"+k, place{a.id, x}, place{b.id, y})
		case !reflect.DeepEqual(meaning(k, x), meaning(k, y)):
			c.found[where+" "+k] = fmt.Sprintf("ours is %s, the published one %s", text(x), text(y))
		}
	}
}

// properties compares property by property. We need not describe all that an open object may hold; of a closed one we must.
func (c *comparison) properties(where string, a, b place) {
	mine, published := object(object(a.node)["properties"]), object(object(b.node)["properties"])
	for _, p := range sorted(mine) {
		here := where + "/properties/" + p
		if published[p] == nil {
			c.found[here+" ours alone"] = "no such property is published"
			continue
		}
		c.schema(here, place{a.id, mine[p]}, place{b.id, published[p]})
	}
	if object(a.node)["additionalProperties"] != false {
		return
	}
	for _, p := range sorted(published) {
		if mine[p] == nil {
			c.found[where+"/properties/"+p+" theirs alone"] = "published, but our closed object has no such property"
		}
	}
}

// resolve follows $refs, and says where the last one led; keywords beside a $ref are kept.
func (c *corpus) resolve(p place) (where string, _ place) {
	for {
		node := object(p.node)
		ref, ok := node["$ref"].(string)
		if !ok {
			return where, p
		}
		id, pointer, _ := strings.Cut(ref, "#")
		switch {
		case id == "":
			id = p.id
		case !strings.Contains(id, "://"):
			id = base + strings.TrimPrefix(id, "./")
		}
		merged := map[string]any{}
		maps.Copy(merged, object(c.at(id, pointer)))
		for k, v := range node {
			if k != "$ref" {
				merged[k] = v
			}
		}
		where, p = id+"#"+pointer, place{id, merged}
	}
}

// meaning brings values of a keyword that say the same into one form.
func meaning(keyword string, v any) any {
	switch keyword {
	case "required", "enum", "type":
		if s, ok := v.(string); ok {
			v = []any{s}
		}
		list, _ := v.([]any)
		var set []string
		for _, e := range list {
			set = append(set, text(e))
		}
		slices.Sort(set)
		return set
	case "additionalProperties":
		return v == false // true, {} and nothing are the same
	case "uniqueItems":
		return v == true
	}
	return withoutWords(v)
}

func withoutWords(v any) any {
	switch v := v.(type) {
	case map[string]any:
		out := map[string]any{}
		for k, e := range v {
			if !slices.Contains(words, k) {
				out[k] = withoutWords(e)
			}
		}
		return out
	case []any:
		out := make([]any, len(v))
		for i, e := range v {
			out[i] = withoutWords(e)
		}
		return out
	}
	return v
}

func length(v any) int { list, _ := v.([]any); return len(list) }

func text(v any) string {
	if v == nil {
		return "without it"
	}
	b, err := json.Marshal(v)
	if err != nil {
		return err.Error()
	}
	return string(b)
}
