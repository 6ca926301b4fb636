// Package validate checks JSON against the schemas of a bundled contract: an OpenAPI 3.1 document, or one JSON
// Schema whose $defs are the components. It keeps the schema library to itself.
//
// A schema is compiled when it is first asked for, and once. Nothing is ever fetched.
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

// DefaultMaxDepth is how deep a document may be nested unless MaxDepth says otherwise.
const DefaultMaxDepth = 64

// where the bundled document stands in the compiler's table; nobody else sees it.
const documentURL = "bundled:///contract.json"

// Set holds the schemas of one bundled document. It may be used from many goroutines.
type Set struct {
	source   []byte
	document any // the parsed source, read only
	maxDepth int

	mu       sync.Mutex // guards what follows, and the compiler, which is not safe for concurrent use
	compiler *jsonschema.Compiler
	compiled map[string]*Schema // by pointer, after references on the way to it are followed
}

// An Option changes how a Set validates.
type Option func(*Set)

// MaxDepth sets how many objects and arrays may be nested in a document; a deeper one is refused unread.
func MaxDepth(levels int) Option { return func(s *Set) { s.maxDepth = levels } }

// New takes a bundled document. It compiles nothing yet.
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
	sets map[string]*Set // by their source
}

// Embedded is [New] of a document that is part of the program. It is read once a process: a host and who certifies it may
// both live there.
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

// Component returns a schema by its component name, like RunSnapshot.
func (s *Set) Component(name string) (*Schema, error) {
	for _, parent := range []string{"/components/schemas", "/$defs"} {
		pointer := parent + "/" + jsonpointer.Escape(name)
		if _, _, err := s.find(pointer); err == nil {
			return s.At(pointer)
		}
	}
	return nil, fmt.Errorf("find schema %s: the contract has no component of that name", name)
}

// At returns the schema at a JSON pointer into the bundled document, like
// /paths/~1v1~1runs/post/requestBody/content/application~1json/schema. A $ref on the way is followed.
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
		s.compiler = nil // it may hold a schema that is half done
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

// find walks a pointer through the document. Where a $ref stands in the way it goes on behind it; canonical is the way without them.
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

// refOf returns the pointer of a $ref within the document.
func refOf(v any) string {
	m, _ := v.(map[string]any)
	ref, _ := m["$ref"].(string)
	if !strings.HasPrefix(ref, "#/") {
		return ""
	}
	return ref[1:]
}
