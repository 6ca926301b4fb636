package mutate

import "testing"

func TestObjectsAreChangedWhereverTheyStand(t *testing.T) {
	count := Objects(func(o map[string]any) { o["members"] = len(o) })
	for body, want := range map[string]string{
		`{"a":{"b":1.0}}`: `{"a":{"b":1.0,"members":1},"members":1}`,
		`[{},[{"c":[]}]]`: `[{"members":0},[{"c":[],"members":1}]]`,
		`{`:               `{`,
		``:                ``,
		`7`:               `7`,
	} {
		r := &Reply{Body: []byte(body)}
		if count(r); string(r.Body) != want {
			t.Errorf("%s became %s, want %s", body, r.Body, want)
		}
	}
}
