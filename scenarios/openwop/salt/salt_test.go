package salt_test

import (
	"bytes"
	"encoding/json"
	"io/fs"
	"reflect"
	"strings"
	"testing"

	"github.com/openassay/assay/gen/openwopv1"
	"github.com/openassay/assay/scenarios/openwop/salt"
)

func names(t *testing.T, from string) (*salt.Names, fs.FS) {
	t.Helper()
	published, err := fs.Sub(openwopv1.Fixtures, "fixtures")
	if err != nil {
		t.Fatal(err)
	}
	n, err := salt.New(published, from)
	if err != nil {
		t.Fatal(err)
	}
	return n, published
}

func files(t *testing.T, of fs.FS) map[string]string {
	t.Helper()
	entries, err := fs.ReadDir(of, ".")
	if err != nil {
		t.Fatal(err)
	}
	out := map[string]string{}
	for _, e := range entries {
		raw, err := fs.ReadFile(of, e.Name())
		if err != nil {
			t.Fatal(err)
		}
		out[strings.TrimSuffix(e.Name(), ".json")] = string(raw)
	}
	return out
}

func decoded(t *testing.T, document string) map[string]any {
	t.Helper()
	var out map[string]any
	if err := json.Unmarshal([]byte(document), &out); err != nil {
		t.Fatal(err)
	}
	return out
}

// What is written has no published name, and heard again it is what was published: the names are total, and a bijection.
func TestDrawnFixturesAreThePublishedOnesUnderOtherNames(t *testing.T) {
	n, published := names(t, "spring-tide")
	was, is := files(t, published), files(t, n.Files())
	if len(was) != len(is) || len(was) < 70 {
		t.Fatalf("%d fixtures became %d", len(was), len(is))
	}
	for id, document := range was {
		drawn, ok := is[n.Drawn(id)]
		if !ok || n.Drawn(id) == id {
			t.Errorf("%s has no file under its drawn name %s", id, n.Drawn(id))
			continue
		}
		want, got := decoded(t, document), decoded(t, n.Hear(drawn))
		for _, d := range []map[string]any{want, got} {
			if m, ok := d["metadata"].(map[string]any); ok {
				delete(m, "tags")
			}
		}
		if !reflect.DeepEqual(got, want) {
			t.Errorf("%s is not what it was: %v", id, got)
		}
		for _, mark := range []string{"assay", "conformance-", "conformance."} {
			if strings.Contains(strings.ToLower(drawn), mark) {
				t.Errorf("%s still holds %q", n.Drawn(id), mark)
			}
		}
		for other := range was {
			if strings.Contains(drawn, `"`+other+`"`) {
				t.Errorf("%s still names %s", n.Drawn(id), other)
			}
		}
		ids := decoded(t, drawn)["nodes"].([]any)
		for _, node := range ids {
			id := node.(map[string]any)["id"].(string)
			if n.Published(id) == id {
				t.Errorf("the node %s has its published name", id)
			}
		}
	}
}

func TestNamesFollowFromTheSaltAlone(t *testing.T) {
	a, _ := names(t, "spring-tide")
	again, _ := names(t, "spring-tide")
	b, _ := names(t, "autumn-leaf")
	if !reflect.DeepEqual(files(t, a.Files()), files(t, again.Files())) {
		t.Error("the same salt gave other names")
	}
	for id := range files(t, b.Files()) {
		if a.Published(id) != id {
			t.Errorf("two salts share the name %s", id)
		}
	}
}

// A body is renamed where it names fixtures, and nowhere else.
func TestBodiesNameFixturesAsTheTargetDoes(t *testing.T) {
	n, _ := names(t, "spring-tide")
	loop, noop, plan := n.Drawn("assay-loop"), n.Drawn("conformance-noop"), n.Drawn("plan")
	for _, c := range []struct{ name, sent, want string }{
		{"a run of a fixture", `{"inputs":{"plan":[{"kind":"next-worker","nextWorkerIds":["conformance-noop"]}]},"workflowId":"assay-loop"}`,
			`{"inputs":{"` + plan + `":[{"kind":"next-worker","nextWorkerIds":["` + noop + `"]}]},"workflowId":"` + loop + `"}`},
		{"a run of the host's own", `{"workflowId":"own", "inputs":{"plan":"plan"}}`, `{"workflowId":"own", "inputs":{"plan":"plan"}}`},
		{"ordinary words", `{"resumeValue":{"action":"ask","answer":"plan"}}`, `{"resumeValue":{"action":"ask","answer":"plan"}}`},
		{"a worker elsewhere", `["second/conformance-noop"]`, `["second/` + noop + `"]`},
		{"the name of another workflow", `["` + noop + `"]`, `["conformance-noop"]`},
		{"no JSON", `{"workflowId":"assay-loop",`, `{"workflowId":"` + loop + `",`},
		{"part of a word", `{"a":"not assay-loop", "b\"assay-loop\"":"\"assay-loop"}`, `{"a":"not assay-loop", "b\"assay-loop\"":"\"assay-loop"}`},
	} {
		got, err := n.Body([]byte(c.sent))
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(got.([]byte), []byte(c.want)) {
			t.Errorf("%s: sent %s, want %s", c.name, got, c.want)
		}
	}
}

// What a target says under a published name is not taken for what was asked under a drawn one.
func TestPublishedNamesAreOtherThings(t *testing.T) {
	n, _ := names(t, "spring-tide")
	loop, gate := n.Drawn("assay-loop"), n.Drawn("gate")
	for said, want := range map[string]string{
		`{"workflowId":"` + loop + `"}`:                          `{"workflowId":"assay-loop"}`,
		`{"workflowId":"assay-loop"}`:                            `{"workflowId":"` + loop + `"}`,
		`{"nodeId" : "` + gate + `","seen":"gate"}`:              `{"nodeId" : "gate","seen":"gate"}`,
		`{"nodeId":"gate","currentNodeId":"gate","gate":"gate"}`: `{"nodeId":"` + gate + `","currentNodeId":"` + gate + `","gate":"gate"}`,
		`{"variables":{"` + n.Drawn("seen") + `":[]}}`:           `{"variables":{"seen":[]}}`,
	} {
		if got := n.Hear(said); got != want {
			t.Errorf("%s is heard as %s, want %s", said, got, want)
		}
	}
	for _, id := range []string{"gate", gate, "own"} {
		heard := decoded(t, n.Hear(`{"nodeId":"`+id+`"}`))["nodeId"].(string)
		if sent := n.Node(heard); sent != id {
			t.Errorf("the node %s is answered as %s", id, sent)
		}
	}
}

func TestNoNamesChangeNothing(t *testing.T) {
	var n *salt.Names
	body := map[string]any{"workflowId": "assay-loop"}
	got, err := n.Body(body)
	if err != nil || !reflect.DeepEqual(got, any(body)) || n.Hear(`"assay-loop"`) != `"assay-loop"` || n.Token("assay-loop") != "assay-loop" {
		t.Errorf("without names the body is %v (%v)", got, err)
	}
}
