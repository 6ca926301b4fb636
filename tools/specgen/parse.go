package specgen

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/openassay/assay/internal/lazyregexp"
)

// maxDepth bounds the nesting of a spec file. The deepest published schema that we know has 19 levels.
const maxDepth = 100

// parse reads JSON or YAML, by the file's name, into a tree. A duplicate key is an error in both: readers would
// silently disagree on which value counts.
func parse(file string, data []byte) (any, error) {
	if strings.HasSuffix(file, ".json") {
		return parseJSON(file, data)
	}
	return parseYAML(file, data)
}

type jsonParser struct {
	file string
	data []byte
	dec  *json.Decoder
}

func parseJSON(file string, data []byte) (any, error) {
	p := &jsonParser{file: file, data: data, dec: json.NewDecoder(bytes.NewReader(data))}
	p.dec.UseNumber()
	v, err := p.value("", 0)
	if err != nil {
		return nil, err
	}
	if _, err := p.dec.Token(); !errors.Is(err, io.EOF) {
		return nil, p.fail("", "more follows after the JSON value", "keep one value in the file")
	}
	return v, nil
}

func (p *jsonParser) fail(pointer, problem, mend string) *SpecError {
	return &SpecError{File: p.file, Pointer: pointer, Line: p.line(p.dec.InputOffset()), Problem: problem, Mend: mend}
}

func (p *jsonParser) line(offset int64) int {
	return 1 + bytes.Count(p.data[:min(offset, int64(len(p.data)))], []byte("\n"))
}

func (p *jsonParser) token(pointer string) (json.Token, error) {
	t, err := p.dec.Token()
	if err == nil {
		return t, nil
	}
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return nil, p.fail(pointer, "not JSON: the file ends too early", "close what is open")
	}
	e := p.fail(pointer, "not JSON: "+strings.TrimPrefix(err.Error(), "json: "), "mend the syntax")
	if syntax, ok := errors.AsType[*json.SyntaxError](err); ok {
		e.Line = p.line(syntax.Offset)
	}
	return nil, e
}

func (p *jsonParser) value(pointer string, depth int) (any, error) {
	t, err := p.token(pointer)
	if err != nil {
		return nil, err
	}
	delim, ok := t.(json.Delim)
	if !ok {
		return t, nil
	}
	if depth == maxDepth {
		return nil, p.fail(pointer, fmt.Sprintf("nested deeper than %d levels", maxDepth), "move the inner part to $defs")
	}
	if delim == '[' {
		return p.list(pointer, depth)
	}
	return p.object(pointer, depth)
}

func (p *jsonParser) list(pointer string, depth int) (any, error) {
	l := []any{}
	for i := 0; p.dec.More(); i++ {
		v, err := p.value(join(pointer, strconv.Itoa(i)), depth+1)
		if err != nil {
			return nil, err
		}
		l = append(l, v)
	}
	_, err := p.token(pointer)
	return l, err
}

func (p *jsonParser) object(pointer string, depth int) (any, error) {
	o := object{}
	for p.dec.More() {
		t, err := p.token(pointer)
		if err != nil {
			return nil, err
		}
		key := t.(string) // the decoder accepts nothing else here
		here := join(pointer, key)
		if _, twice := o[key]; twice {
			return nil, p.fail(here, fmt.Sprintf("key %q stands twice in one object", key), "keep one of the two")
		}
		if o[key], err = p.value(here, depth+1); err != nil {
			return nil, err
		}
	}
	_, err := p.token(pointer)
	return o, err
}

var yamlLine = lazyregexp.New(`^yaml: (?:line (\d+): )?`)

// yamlNode reads one YAML document and returns its nodes, which know their lines.
func yamlNode(file string, data []byte) (*yaml.Node, error) {
	dec := yaml.NewDecoder(bytes.NewReader(data))
	var doc yaml.Node
	if err := dec.Decode(&doc); err != nil {
		if errors.Is(err, io.EOF) {
			return nil, &SpecError{File: file, Problem: "the file is empty", Mend: "fill it or remove it"}
		}
		line := 0
		if m := yamlLine.FindStringSubmatch(err.Error()); m != nil {
			line, _ = strconv.Atoi(m[1]) // 0 if the parser gives no line
		}
		return nil, &SpecError{File: file, Line: line, Problem: "not YAML: " + yamlLine.ReplaceAllString(err.Error(), ""),
			Mend: "mend the syntax"}
	}
	var more yaml.Node
	if err := dec.Decode(&more); !errors.Is(err, io.EOF) {
		return nil, &SpecError{File: file, Line: more.Line, Problem: "a second YAML document follows", Mend: "keep one document in the file"}
	}
	return doc.Content[0], nil
}

func parseYAML(file string, data []byte) (any, error) {
	n, err := yamlNode(file, data)
	if err != nil {
		return nil, err
	}
	return yamlTree(file, "", n, 0)
}

func yamlTree(file, pointer string, n *yaml.Node, depth int) (any, error) {
	fail := func(problem, mend string) error {
		return &SpecError{File: file, Pointer: pointer, Line: n.Line, Problem: problem, Mend: mend}
	}
	if depth > maxDepth {
		return nil, fail(fmt.Sprintf("nested deeper than %d levels", maxDepth), "move the inner part to $defs")
	}
	switch n.Kind {
	case yaml.ScalarNode:
		v, err := yamlScalar(n)
		if err != nil {
			return nil, fail(err.Error(), "write a JSON value, or quote it")
		}
		return v, nil
	case yaml.SequenceNode:
		l := make([]any, len(n.Content))
		for i, c := range n.Content {
			v, err := yamlTree(file, join(pointer, strconv.Itoa(i)), c, depth+1)
			if err != nil {
				return nil, err
			}
			l[i] = v
		}
		return l, nil
	case yaml.MappingNode:
		o := make(object, len(n.Content)/2)
		for i := 0; i < len(n.Content); i += 2 {
			k := n.Content[i]
			// Keys stay as written: `200:` under responses is the text 200, as in JSON.
			if k.Kind != yaml.ScalarNode || k.Tag == "!!merge" {
				return nil, &SpecError{File: file, Pointer: pointer, Line: k.Line, Problem: "key is not plain text", Mend: "write the keys out"}
			}
			here := join(pointer, k.Value)
			if _, twice := o[k.Value]; twice {
				return nil, &SpecError{File: file, Pointer: here, Line: k.Line, Problem: fmt.Sprintf("key %q stands twice in one object",
					k.Value), Mend: "keep one of the two"}
			}
			v, err := yamlTree(file, here, n.Content[i+1], depth+1)
			if err != nil {
				return nil, err
			}
			o[k.Value] = v
		}
		return o, nil
	}
	return nil, fail("YAML aliases have no JSON form", "write the value out, or use a $ref")
}

func yamlScalar(n *yaml.Node) (any, error) {
	switch n.Tag {
	case "!!null":
		return nil, nil
	case "!!bool":
		var b bool
		return b, n.Decode(&b)
	case "!!int":
		var i int64
		if err := n.Decode(&i); err == nil {
			return json.Number(strconv.FormatInt(i, 10)), nil
		}
		var u uint64
		if err := n.Decode(&u); err != nil {
			return nil, fmt.Errorf("integer %s does not fit 64 bits", n.Value)
		}
		return json.Number(strconv.FormatUint(u, 10)), nil
	case "!!float":
		var f float64
		if err := n.Decode(&f); err != nil || math.IsInf(f, 0) || math.IsNaN(f) {
			return nil, fmt.Errorf("number %s has no JSON form", n.Value)
		}
		return json.Number(strconv.FormatFloat(f, 'f', -1, 64)), nil
	case "!!str", "!!timestamp": // JSON has no dates: an unquoted one is text
		return n.Value, nil
	}
	return nil, fmt.Errorf("YAML tag %s has no JSON form", n.Tag)
}
