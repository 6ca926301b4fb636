// Package dialect is how a major version of OpenWOP spells what the suites name: operations, events, options, codes. A suite
// knows the names only, and a [Dialect] has the words. It is the only package of the suites that knows a version's generated
// package.
package dialect

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io/fs"
	"net/url"
	"regexp"
	"strings"

	"github.com/openassay/assay/internal/lazyregexp"
	"github.com/openassay/assay/scenarios/wire"
)

// Dialect is one major version as a table. What a table leaves out is spelled as its name is.
type Dialect struct {
	Operations map[Operation]string // method and path; what stands in braces is replaced by the ids, in their order
	Root       string               // below which a host may keep goals as well as below its seams
	Seams      []string             // prefixes of test seams, in the order they are tried; {vendor} is the host's own
	Cursors    []string             // names of the parameter that says behind which event a log is read: the present one, and a former one
	Headers    map[string]string
	Events     map[Event]string
	Codes      map[Code]string
	Refusals   map[Refusal]Accepted
	Options    map[Option]string // JSON pointers into the body that makes a run
	ID         func(string) string

	Contract func() []byte      // the bundled schemas
	Fixtures fs.FS              // fixtures/<id>.json
	Payload  func(Event) string // the schema of an event's payload in Contract, "" where it has none
}

// Option is a run option.
type Option string

// The run options.
const (
	MaxLoopIterations   Option = "maxLoopIterations"
	RecursionLimit      Option = "recursionLimit"
	RunTimeoutMs        Option = "runTimeoutMs"
	EscalationThreshold Option = "escalationThreshold"
)

// Options are all run options.
var Options = []Option{MaxLoopIterations, RecursionLimit, RunTimeoutMs, EscalationThreshold}

// Headers of the protocol's own, by the names that all versions share.
const (
	IdempotencyKey   = "Idempotency-Key"
	IdempotentReplay = "openwop-Idempotent-Replay"
)

// Speaker is what comes from a target, or goes there.
type Speaker interface{ Speech() wire.Speech }

// Of is the dialect of whoever speaks; V1 where that is not known, as of what a test made by hand.
func Of(s Speaker) *Dialect {
	if d, ok := s.Speech().(*Dialect); ok {
		return d
	}
	return V1
}

// Say implements [wire.Speech].
func (d *Dialect) Say(call wire.Call) (wire.Call, error) {
	op := call.Operation
	template, ok := d.Operations[Operation{op.Name}]
	if !ok {
		return call, fmt.Errorf("%s: this version of the protocol does not have it", op.Name)
	}
	method, rest, _ := strings.Cut(template, " ")
	var path strings.Builder
	for _, id := range op.IDs {
		before, name, after := place(rest)
		if name == "" {
			return call, fmt.Errorf("%s: %d ids for %q", op.Name, len(op.IDs), template)
		}
		if name != "prefix" && name != "seam" { // these are paths themselves
			id = d.escape(id)
		}
		path.WriteString(before + id)
		rest = after
	}
	if _, name, _ := place(rest); name != "" {
		return call, fmt.Errorf("%s: %d ids for %q", op.Name, len(op.IDs), template)
	}
	path.WriteString(rest + query(op.Query))
	call.Method, call.Path = method, path.String()
	call.Header = d.header(call.Header)
	body, err := d.body(call.Body)
	call.Body = body
	return call, err
}

// Path is where an operation on these is.
func (d *Dialect) Path(op Operation, ids ...string) string {
	call, err := d.Say(wire.Call{Operation: op.Of(ids...)})
	if err != nil {
		panic(err) // an operation that each version has
	}
	return call.Path
}

// Matching matches the paths of these operations, on whatever they are.
func (d *Dialect) Matching(ops ...Operation) *lazyregexp.Regexp {
	var paths []string
	for _, op := range ops {
		_, rest, _ := strings.Cut(d.Operations[op], " ")
		pattern := ""
		for rest != "" {
			before, name, after := place(rest)
			pattern += regexp.QuoteMeta(before)
			switch name {
			case "":
			case "prefix", "seam":
				pattern += ".*"
			default:
				pattern += "[^/]+"
			}
			rest = after
		}
		paths = append(paths, pattern)
	}
	return lazyregexp.New("^(" + strings.Join(paths, "|") + ")$")
}

// place splits a path at its first place for an id.
func place(path string) (before, name, after string) {
	before, rest, _ := strings.Cut(path, "{")
	name, after, _ = strings.Cut(rest, "}")
	return before, name, after
}

func (d *Dialect) escape(id string) string {
	if d.ID != nil {
		id = d.ID(id)
	}
	return url.PathEscape(id)
}

func query(parameters []wire.Parameter) string {
	if len(parameters) == 0 {
		return ""
	}
	parts := make([]string, len(parameters))
	for i, p := range parameters {
		parts[i] = p.Name + "=" + url.QueryEscape(p.Value)
	}
	return "?" + strings.Join(parts, "&")
}

func (d *Dialect) header(of map[string]string) map[string]string {
	if len(d.Headers) == 0 || of == nil {
		return of
	}
	out := map[string]string{}
	for name, value := range of {
		out[spelled(d.Headers, name)] = value
	}
	return out
}

// body is a body with the run options where this version has them. What is no JSON object stays as it is.
func (d *Dialect) body(body any) (any, error) {
	if len(d.Options) == 0 || body == nil {
		return body, nil
	}
	raw, ready := body.([]byte)
	if !ready {
		var err error
		if raw, err = json.Marshal(body); err != nil {
			return nil, fmt.Errorf("encoding a request body: %w", err)
		}
	}
	var doc map[string]any
	reader := json.NewDecoder(bytes.NewReader(raw))
	reader.UseNumber()
	if err := reader.Decode(&doc); err != nil {
		return body, nil
	}
	for _, o := range Options {
		Move(doc, "/configurable/"+string(o), d.option(o))
	}
	return doc, nil
}

func (d *Dialect) option(o Option) string {
	if pointer, ok := d.Options[o]; ok {
		return pointer
	}
	return "/configurable/" + string(o)
}

// Move has a member of doc stand elsewhere, if it is there, and leaves no object empty. Pointers hold no escapes.
func Move(doc map[string]any, from, to string) {
	at, name := parent(doc, from, false)
	value, there := at[name]
	if !there || from == to {
		return
	}
	remove(doc, strings.Split(from[1:], "/"))
	at, name = parent(doc, to, true)
	at[name] = value
}

// remove takes a member out, and the objects that hold nothing without it.
func remove(doc map[string]any, steps []string) {
	if next, ok := doc[steps[0]].(map[string]any); ok && len(steps) > 1 {
		if remove(next, steps[1:]); len(next) > 0 {
			return
		}
	}
	delete(doc, steps[0])
}

// parent is the object that holds what pointer leads to, nil where there is none, and the member's name.
func parent(doc map[string]any, pointer string, build bool) (map[string]any, string) {
	steps := strings.Split(strings.TrimPrefix(pointer, "/"), "/")
	for _, step := range steps[:len(steps)-1] {
		next, ok := doc[step].(map[string]any)
		if !ok && build {
			next = map[string]any{}
			doc[step] = next
		}
		doc = next
	}
	return doc, steps[len(steps)-1]
}

// Spell implements [wire.Speech].
func (d *Dialect) Spell(text string) string {
	if !strings.Contains(text, "{") {
		return text
	}
	return operationNames.ReplaceAllStringFunc(text, func(found string) string {
		name, id, another := strings.Cut(found[1:len(found)-1], ":")
		template, ok := d.Operations[Operation{name}]
		if !ok {
			return found
		}
		switch before, _, after := place(template); {
		case !another:
		case strings.HasSuffix(template, "/{seam}"): // a path
			template = strings.TrimSuffix(template, "{seam}") + id
		default:
			template = before + "{" + id + "}" + after
		}
		return template
	})
}

// operationNames are the operations in a text: {cancel run}, {cancel run:childRunId} where the first id is another, and
// {use seam:heartbeat/tick}. What a path has in braces is one word.
var operationNames = lazyregexp.New(`\{[a-z]+ [a-z]+(:[^}]*)?\}`)

// spelled is the word of a name, and the name itself where there is none, or what stands in for it.
func spelled[K ~string](words map[K]string, name K, otherwise ...string) string {
	if word, ok := words[name]; ok {
		return word
	}
	if len(otherwise) > 0 {
		return otherwise[0]
	}
	return string(name)
}

// named is the name of a word.
func named[K ~string](words map[K]string, word string) K {
	for name, w := range words {
		if w == word {
			return name
		}
	}
	if _, renamed := words[K(word)]; renamed { // the name itself is no word of this version
		return ""
	}
	return K(word)
}

// HeaderOf is a header of a reply, by its name.
func HeaderOf(reply *wire.Reply, name string) wire.Value {
	return reply.HeaderValue(spelled(Of(reply).Headers, name))
}

// OptionsOf is what a run's snapshot shows all run options in.
func OptionsOf(snapshot wire.Value) wire.Value {
	d := Of(snapshot)
	in := d.option(Options[0])
	for _, o := range Options {
		for !strings.HasPrefix(d.option(o), in+"/") {
			in = in[:strings.LastIndexByte(in, '/')]
		}
	}
	return snapshot.At(in)
}

// OptionOf is a run option as a run's snapshot shows it.
func OptionOf(snapshot wire.Value, o Option) wire.Value { return snapshot.At(Of(snapshot).option(o)) }
