// Package validate validates JSON against the schemas of a bundled contract: an OpenAPI 3.1 document, or a JSON Schema
// whose $defs are the components. It hides the schema library.
//
// A schema is compiled once, on first use. Nothing is fetched.
package validate

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/url"
	"strconv"
	"strings"
	"sync"

	"github.com/go-openapi/jsonpointer"
	"github.com/santhosh-tekuri/jsonschema/v5"
)

// DefaultMaxDepth is the depth that a document may have without [MaxDepth].
const DefaultMaxDepth = 64

// documentURL is the URL of the bundled document for the compiler.
const documentURL = "bundled:///contract.json"

// Set holds the schemas of a bundled document. It is safe for concurrent use.
type Set struct {
	source   []byte
	document any // the parsed source, read only
	maxDepth int

	mu       sync.Mutex // guards the fields below; the compiler is not safe for concurrent use
	compiler *jsonschema.Compiler
	compiled map[string]*Schema // by canonical pointer, see find
}

// Option configures a Set.
type Option func(*Set)

// MaxDepth sets the depth that a document may have.
func MaxDepth(levels int) Option { return func(s *Set) { s.maxDepth = levels } }

// New returns the schemas of a bundled document. It compiles nothing yet.
func New(bundled []byte, options ...Option) (*Set, error) {
	s := &Set{source: bundled, maxDepth: DefaultMaxDepth, compiled: map[string]*Schema{}}
	if err := json.Unmarshal(bundled, &s.document); err != nil {
		return nil, fmt.Errorf("read bundled schemas: %w", err)
	}
	if _, ok := s.document.(map[string]any); !ok {
		return nil, errors.New("read bundled schemas: not an object: bundle the contract with assay generate")
	}
	for _, o := range options {
		o(s)
	}
	return s, nil
}

var embedded struct {
	mu   sync.Mutex
	sets map[string]*Set // by source
}

// Embedded is like [New], for a document that is part of the program. It returns the same Set for the same document.
func Embedded(bundled []byte) (*Set, error) {
	embedded.mu.Lock()
	defer embedded.mu.Unlock()
	if s := embedded.sets[string(bundled)]; s != nil {
		return s, nil
	}
	s, err := New(bundled)
	if err != nil {
		return nil, err
	}
	if embedded.sets == nil {
		embedded.sets = map[string]*Set{}
	}
	embedded.sets[string(bundled)] = s
	return s, nil
}

// Later returns a function that compiles a component of a generated package's schemas when it is first called.
func Later(bundled func() []byte, component string) func() (*Schema, error) {
	return sync.OnceValues(func() (*Schema, error) {
		set, err := Embedded(bundled())
		if err != nil {
			return nil, err
		}
		return set.Component(component)
	})
}

// Component returns the schema of a component, such as RunSnapshot.
func (s *Set) Component(name string) (*Schema, error) {
	for _, parent := range []string{"/components/schemas", "/$defs"} {
		pointer := parent + "/" + jsonpointer.Escape(name)
		if _, _, err := s.find(pointer); err == nil {
			return s.At(pointer)
		}
	}
	return nil, fmt.Errorf("find schema %s: the contract has no component of that name", name)
}

// At returns the schema at a JSON pointer into the bundled document, such as
// /paths/~1v1~1runs/post/requestBody/content/application~1json/schema. It follows each $ref on the way.
func (s *Set) At(pointer string) (*Schema, error) {
	canonical, v, err := s.find(pointer)
	if err != nil {
		return nil, err
	}
	switch v.(type) {
	case map[string]any, bool:
	default:
		return nil, fmt.Errorf("find schema at %s: no schema stands there", pointer)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if schema := s.compiled[canonical]; schema != nil {
		return schema, nil
	}
	compiled, err := s.compile(canonical)
	if err != nil {
		s.compiler = nil // it may hold an incomplete schema
		return nil, fmt.Errorf("compile schema at %s: %w", pointer, err)
	}
	schema := &Schema{set: s, compiled: compiled}
	s.compiled[canonical] = schema
	return schema, nil
}

func (s *Set) compile(pointer string) (*jsonschema.Schema, error) {
	if s.compiler == nil {
		c := jsonschema.NewCompiler()
		c.Draft = jsonschema.Draft2020
		c.AssertFormat = true
		c.LoadURL = func(url string) (io.ReadCloser, error) {
			return nil, fmt.Errorf("%s is not in the bundle", url)
		}
		if err := c.AddResource(documentURL, bytes.NewReader(s.source)); err != nil {
			return nil, err
		}
		s.compiler = c
	}
	return s.compiler.Compile(documentURL + "#" + (&url.URL{Fragment: pointer}).EscapedFragment())
}

// find follows a pointer through the document, and each $ref on the way. canonical is the pointer without references.
func (s *Set) find(pointer string) (canonical string, v any, err error) {
	if pointer != "" && pointer[0] != '/' {
		return "", nil, fmt.Errorf("find schema at %q: not a JSON pointer", pointer)
	}
	v = s.document
	rest := pointer
	for hops := 0; rest != ""; {
		token, tail := rest[1:], ""
		if i := strings.IndexByte(token, '/'); i >= 0 {
			token, tail = token[:i], token[i:]
		}
		next, ok := child(v, jsonpointer.Unescape(token))
		if ref := refOf(v); !ok && ref != "" && hops < 32 {
			hops++
			v, canonical, rest = s.document, "", ref+rest
			continue
		}
		if !ok {
			return "", nil, fmt.Errorf("find schema at %s: the contract has no %q there", pointer, token)
		}
		v, canonical, rest = next, canonical+"/"+token, tail
	}
	return canonical, v, nil
}

func child(v any, token string) (any, bool) {
	switch v := v.(type) {
	case map[string]any:
		c, ok := v[token]
		return c, ok
	case []any:
		if i, err := strconv.Atoi(token); err == nil && i >= 0 && i < len(v) {
			return v[i], true
		}
	}
	return nil, false
}

// refOf returns the pointer of a $ref into the document, "" if there is none.
func refOf(v any) string {
	m, _ := v.(map[string]any)
	ref, _ := m["$ref"].(string)
	if !strings.HasPrefix(ref, "#/") {
		return ""
	}
	return ref[1:]
}
