package specdiff

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

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
	var renamed []goapi.Renamed
	for i := range changes {
		if r := changes[i].renamed; r != nil {
			renamed = append(renamed, *r)
		}
	}
	found, err := goapi.Compare(files[0], files[1], renamed)
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
	out := []string{}
	for _, name := range []string{c.Before, c.After} {
		for _, at := range causesOf(name, c, changes) {
			if !slices.Contains(out, at) {
				out = append(out, at)
			}
		}
	}
	return out
}

func causesOf(name string, c goapi.Consequence, changes []Change) []string {
	if name == "" {
		return nil
	}
	owner, _, _ := strings.Cut(name, ".")
	field := goapi.Letters(owner + c.JSON)
	names := []string{goapi.Letters(name), field}
	if c.Change == "renamed" && name == c.Before {
		names[1] = names[0] // JSON is the name of what it became
	}
	best, out := 0, []string{}
	for i := range changes {
		if changes[i].text {
			continue
		}
		score := 0
		for _, k := range changes[i].keys {
			score = max(score, k.score(names, c.JSON != ""))
			if k.whole && score > 0 && c.Change != "changed" {
				score += 1000 // a name comes and goes with the whole of an operation
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
	return out
}

// key is a name by which a generator may call what changed.
type key struct {
	text      string
	operation bool // it may stand within a name
	whole     bool // it is all of an operation, or its name
}

// score says how well one of the names of something in Go fits; 0 is not at all.
func (k key) score(names []string, field bool) int {
	score := 0
	for i, name := range names {
		switch {
		case k.text == "":
		case name == k.text:
			score = max(score, 3*len(k.text)+2)
		case strings.HasPrefix(name, k.text) || k.operation && len(k.text) > 3 && strings.Contains(name, k.text):
			score = max(score, 3*len(k.text)+1)
		case field && i == 1 && strings.HasPrefix(k.text, name): // within the field
			score = max(score, 3*len(name))
		}
	}
	return score
}

// keysOf lists the names that what is at a difference may have.
func keysOf(d *document, at string, path []step) []key {
	tokens := strings.Split(at, "/")
	switch {
	case len(tokens) > 3 && tokens[1] == "components":
		return []key{{text: goapi.Letters(unescaped(tokens[3]) + propertyOf(path))}}
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
			id = goapi.Letters(id)
			whole := len(tokens) == 4 || len(tokens) == 3 && path[len(path)-1].in == kPaths || strings.HasSuffix(at, "/operationId")
			out = append(out, key{id, true, whole})
			for _, s := range path {
				switch s.in {
				case kParameters:
					_, name, _ := strings.Cut(s.name, " ")
					out = append(out, key{text: id + "params" + goapi.Letters(name), operation: true})
				case kResponses:
					out = append(out, key{text: id + goapi.Letters(s.name), operation: true})
				}
			}
		}
		return out
	}
	return nil
}
