package specdiff

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"unicode"

	"github.com/openassay/assay/tools/specdiff/goapi"
	"github.com/openassay/assay/tools/specgen"
)

// GoChanges is what the change of a spec does to Go programs that use the package generated from it.
type GoChanges struct {
	// Unknown says why it is not known: one of the versions does not generate.
	Unknown      string              `json:"unknown,omitempty"`
	Consequences []goapi.Consequence `json:"consequences"`
}

// Go generates the package of both versions in memory and compares what they export. changes are those of the contract.
func Go(ctx context.Context, before, after *Folder, changes []Change) *GoChanges {
	out := &GoChanges{Consequences: []goapi.Consequence{}}
	var files [2]map[string][]byte
	for i, f := range []*Folder{before, after} {
		made, err := specgen.Generate(ctx, specgen.Options{Spec: f.at, Into: "generated", Package: "generated"})
		if err != nil {
			out.Unknown = fmt.Sprintf("the %s version gives no Go package: %v", []string{"old", "new"}[i], f.hide(err))
			return out
		}
		files[i] = made.Files
	}
	found, err := goapi.Compare(files[0], files[1])
	if err != nil {
		out.Unknown = err.Error()
		return out
	}
	for i := range found {
		found[i].Causes = causes(found[i], changes)
	}
	out.Consequences = append(out.Consequences, found...)
	return out
}

// causes finds the changes of the contract that a consequence comes from, by names: a generator derives those of Go from
// those of the contract.
func causes(c goapi.Consequence, changes []Change) []string {
	var keys []string
	for _, name := range []string{c.Before, c.After} {
		if name != "" {
			keys = append(keys, letters(name))
			if owner, _, ok := strings.Cut(name, "."); ok && c.JSON != "" {
				keys = append(keys, letters(owner)+letters(c.JSON))
			}
		}
	}
	best, out := 0, []string{}
	for i := range changes {
		if changes[i].text {
			continue
		}
		for _, k := range changes[i].keys {
			score := 0
			for _, key := range keys {
				switch {
				case key == k.text:
					score = max(score, 2*len(k.text)+1)
				case strings.HasPrefix(key, k.text) || k.operation && len(k.text) > 3 && strings.Contains(key, k.text):
					score = max(score, 2*len(k.text))
				}
			}
			at := cmp.Or(changes[i].After, changes[i].Before)
			switch {
			case score == 0 || score < best:
			case score > best:
				best, out = score, []string{at}
			case !slices.Contains(out, at):
				out = append(out, at)
			}
		}
	}
	return out
}

// key is a name by which a generator may call what changed.
type key struct {
	text      string
	operation bool
}

// letters is a name as all its spellings share it.
func letters(name string) string {
	return strings.ToLower(strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			return r
		}
		return -1
	}, name))
}

// keysOf lists the names that what is at a difference may have.
func keysOf(d *document, at string, path []step) []key {
	tokens := strings.Split(at, "/")
	switch {
	case len(tokens) > 3 && tokens[1] == "components":
		return []key{{letters(unescaped(tokens[3]) + propertyOf(path)), false}}
	case len(tokens) > 2 && (tokens[1] == "paths" || tokens[1] == "webhooks"):
		var out []key
		paths, _ := d.tree[tokens[1]].(map[string]any)
		item, _ := d.follow(paths[unescaped(tokens[2])]).(map[string]any)
		for _, method := range methods {
			operation, _ := item[method].(map[string]any)
			if operation == nil || len(tokens) > 3 && slices.Contains(methods, tokens[3]) && tokens[3] != method {
				continue
			}
			id, _ := operation["operationId"].(string)
			id = cmp.Or(id, method+unescaped(tokens[2]))
			out = append(out, key{letters(id), true})
			for i, s := range path {
				if s.in == kParameters {
					_, name, _ := strings.Cut(path[i].name, " ")
					out = append(out, key{letters(id) + "params" + letters(name), true})
				}
			}
		}
		return out
	}
	return nil
}
