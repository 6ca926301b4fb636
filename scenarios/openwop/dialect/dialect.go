// Package dialect defines how a major version of OpenWOP spells the names that suites use: operations, events,
// options, codes. Suites know the names only; a [Dialect] has the words. No other package of the suites imports a
// version's generated package.
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
	"github.com/openassay/assay/scenarios/openwop/salt"
	"github.com/openassay/assay/scenarios/wire"
)

// Dialect describes one major version as tables. A name missing from a table is spelled as it is.
type Dialect struct {
	Operations map[Operation]string // method and path; ids replace the braces in order
	Root       string               // besides its seams, a host may keep goals below this path
	Seams      []string             // prefixes of test seams, in search order; {vendor} is the host's own
	Cursors    []string             // parameter that reads a log after an event: current and former name
	Headers    map[string]string
	Events     map[Event]string
	Codes      map[Code]string
	Refusals   map[Refusal]Accepted
	Options    map[Option]string // JSON pointers into the body that creates a run
	ID         func(string) string

	Contract func() []byte      // the bundled schemas
	Requests func() []byte      // the document that requests of this version fit, nil for none
	Fixtures fs.FS              // fixtures/<id>.json
	Payload  func(Event) string // the schema of an event's payload in Contract, "" if it has none

	names *salt.Names // of the fixtures on the target; nil for the published ones
	heard bool        // what the target sent has the published names already
}

// Salted returns the dialect for a target whose fixtures have drawn names.
func (d *Dialect) Salted(n *salt.Names) *Dialect {
	salted := *d
	salted.names = n
	return &salted
}

// Hear implements [wire.Hearer].
func (d *Dialect) Hear(document string) string {
	if d.heard {
		return document
	}
	return d.names.Hear(document)
}

// Variables returns values of variables, by their names, as they are on the target.
func (d *Dialect) Variables(values any) any { return d.names.Variables(values) }

// Variable returns the name of a variable as it is on the target.
func (d *Dialect) Variable(name string) string { return d.names.Drawn(name) }

// Heard implements [wire.Hearer].
func (d *Dialect) Heard() wire.Speech {
	if d.names == nil || d.heard {
		return d
	}
	heard := *d
	heard.heard = true
	return &heard
}

// Option is a run option.
type Option string

// Run options.
const (
	MaxLoopIterations   Option = "maxLoopIterations"
	RecursionLimit      Option = "recursionLimit"
	RunTimeoutMs        Option = "runTimeoutMs"
	EscalationThreshold Option = "escalationThreshold"
	Temperature         Option = "temperature"
)

// Options lists all run options.
var Options = []Option{MaxLoopIterations, RecursionLimit, RunTimeoutMs, EscalationThreshold, Temperature}

// Headers that the protocol defines, by the names that all versions share.
const (
	IdempotencyKey   = "Idempotency-Key"
	IdempotentReplay = "openwop-Idempotent-Replay"
	Dedup            = "X-Dedup"
)

// Speaker is a message to or from a target.
type Speaker interface{ Speech() wire.Speech }

// Of returns the dialect of a speaker, V1 if unknown, as for values that a test made by hand.
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
		if name == "nodeId" {
			id = d.names.Node(id)
		} else {
			id = d.names.Token(id)
		}
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
	path.WriteString(rest)
	call.Method, call.Path = method, path.String()+d.query(op.Query)
	if strings.HasPrefix(template, method+" {prefix}") { // the contract has goals and seams below the first prefix
		call.Route = d.Seams[0] + strings.TrimPrefix(path.String(), op.IDs[0])
	}
	call.Header = d.header(call.Header)
	body, err := d.body(call.Body)
	if err == nil {
		body, err = d.names.Body(body)
	}
	call.Body = body
	return call, err
}

// Method returns the method of an operation, "" if this version does not have it.
func (d *Dialect) Method(op Operation) string {
	method, _, _ := strings.Cut(d.Operations[op], " ")
	return method
}

// Path returns the path of an operation on these ids.
func (d *Dialect) Path(op Operation, ids ...string) string {
	call, err := d.Say(wire.Call{Operation: op.Of(ids...)})
	if err != nil {
		panic(err) // every version has this operation
	}
	return call.Path
}

// Matching returns an expression that matches the paths of these operations, with any ids. Its groups behind the first are the ids.
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
				pattern += "(.*)"
			default:
				pattern += "([^/]+)"
			}
			rest = after
		}
		paths = append(paths, pattern)
	}
	return lazyregexp.New("^(" + strings.Join(paths, "|") + ")$")
}

// One returns the id in the path of an operation on one thing.
func (d *Dialect) One(path string, op Operation) string {
	const mark = "~one~" // no version has it in a path
	before, after, _ := strings.Cut(d.Path(op, mark), mark)
	id := strings.TrimSuffix(strings.TrimPrefix(path, before), after)
	if plain, err := url.PathUnescape(id); err == nil {
		return plain
	}
	return id
}

// Below returns a path as the protocol has it: the target may be below a path of its own.
func (d *Dialect) Below(path string) string {
	if root := strings.Index(path, d.Root+"/"); root > 0 {
		return path[root:]
	}
	return path
}

// place splits a path at its first placeholder.
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

func (d *Dialect) query(parameters []wire.Parameter) string {
	if len(parameters) == 0 {
		return ""
	}
	parts := make([]string, len(parameters))
	for i, p := range parameters {
		parts[i] = p.Name + "=" + url.QueryEscape(d.names.Token(p.Value))
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

// body returns a body with the run options at this version's places. Anything but a JSON object stays as it is.
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

// Move moves a member of doc, if present, and removes objects that become empty. Pointers contain no escapes.
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

// remove removes a member and the objects that become empty.
func remove(doc map[string]any, steps []string) {
	if next, ok := doc[steps[0]].(map[string]any); ok && len(steps) > 1 {
		if remove(next, steps[1:]); len(next) > 0 {
			return
		}
	}
	delete(doc, steps[0])
}

// parent returns the object that holds the pointer's target, nil if it is missing, and the member's name.
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

// operationNames matches the operations in a text: {cancel run}, {cancel run:childRunId} if the first id is
// another, and {use seam:heartbeat/tick}. Placeholders in paths are single words, so they do not match.
var operationNames = lazyregexp.New(`\{[a-z]+ [a-z]+(:[^}]*)?\}`)

// spelled returns the word for a name, or the name itself where the dialect has no other.
func spelled[K ~string](words map[K]string, name K) string {
	if word, ok := words[name]; ok {
		return word
	}
	return string(name)
}

// named returns the name of a word.
func named[K ~string](words map[K]string, word string) K {
	for name, w := range words {
		if w == word {
			return name
		}
	}
	if _, renamed := words[K(word)]; renamed { // another word replaces this name, so it is not a word of this version
		return ""
	}
	return K(word)
}

// HeaderOf returns a header of a reply by its name.
func HeaderOf(reply *wire.Reply, name string) wire.Value {
	return reply.HeaderValue(spelled(Of(reply).Headers, name))
}

// OptionsOf returns the part of a run's snapshot that holds all run options.
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

// OptionOf returns a run option from a run's snapshot.
func OptionOf(snapshot wire.Value, o Option) wire.Value { return snapshot.At(Of(snapshot).option(o)) }
