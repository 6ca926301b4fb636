package golang

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
)

// writer collects Go code.
type writer struct{ strings.Builder }

// p writes a line.
func (w *writer) p(format string, args ...any) {
	fmt.Fprintf(w, format, args...)
	w.WriteByte('\n')
}

// doc writes a comment, broken into lines, that begins with the name that it is about.
func (w *writer) doc(indent, name, text string, deprecated bool) {
	text = strings.TrimSpace(text)
	if text != "" && name != "" && !strings.HasPrefix(text, name+" ") {
		text = name + " " + text
	}
	if deprecated {
		text = strings.TrimSpace(text + "\n\nDeprecated: the contract says so.")
	}
	if text == "" {
		return
	}
	for line := range strings.SplitSeq(Wrap(text, 110), "\n") {
		w.p("%s", strings.TrimRight(indent+"// "+line, " "))
	}
}

// oneLine makes a text fit for a comment of one line.
func oneLine(text string) string { return Wrap(strings.Join(strings.Fields(text), " "), math.MaxInt) }

// printable replaces what a Go file cannot hold, or what would end a line.
func printable(text string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r == '\n':
			return r
		case r < ' ', r == '\u2028', r == '\u2029', r == '\ufeff', r == '\x7f':
			return ' '
		}
		return r
	}, text)
}

// Wrap breaks a text into lines. It keeps its paragraphs.
func Wrap(text string, width int) string {
	text = printable(text)
	var lines []string
	for paragraph := range strings.SplitSeq(strings.TrimSpace(text), "\n") {
		line := ""
		for w := range strings.FieldsSeq(paragraph) {
			if line != "" && len(line)+1+len(w) > width {
				lines = append(lines, line)
				line = ""
			}
			if line != "" {
				line += " "
			}
			line += w
		}
		lines = append(lines, line)
	}
	for i, line := range lines {
		if strings.HasPrefix(line, "+build") {
			lines[i] = "+ " + line[1:] // gofmt takes it for a build constraint, wherever it stands
		}
	}
	return strings.Join(slices.Compact(lines), "\n")
}

// models writes the types.
func (b *builder) models() string {
	w := &writer{}
	for _, d := range b.decls {
		switch d.kind {
		case structDecl:
			b.writeStruct(w, d)
		case enumDecl:
			b.writeEnum(w, d)
		case plainDecl:
			b.writePlain(w, d)
		case aliasDecl:
			w.doc("", d.name, d.doc, d.deprecated)
			w.p("type %s = %s\n", d.name, d.typ)
		case unionDecl:
			b.writeUnion(w, d)
		}
		for _, u := range d.unions {
			w.p("func (%s) is%s() {}\n", d.name, u.name)
		}
	}
	b.registerUnions(w)
	return w.String()
}

// registerUnions tells the decoder of the unions.
func (b *builder) registerUnions(w *writer) {
	var found []*decl
	for _, d := range b.decls {
		if d.kind == unionDecl {
			found = append(found, d)
		}
	}
	if len(found) == 0 {
		return
	}
	w.p("func init() {")
	for _, d := range found {
		w.p("\tunions[reflect.TypeFor[%s]()] = caseOf%s", d.name, d.name)
	}
	w.p("}")
}

// fieldType writes the type of a field. One that may be absent, null or there needs a type for the three.
func (b *builder) fieldType(f *field) string {
	t := f.typ
	three := t.nullable() && t.kind != anyKind && !f.required && !b.Pointers && !f.zero && !isAny(t)
	switch {
	case three && f.pointer:
		return "Nullable[*" + t.argument() + "]"
	case three:
		return "Nullable[" + t.argument() + "]"
	case f.pointer:
		return "*" + t.String()
	case t.isNil() || f.zero:
		return t.String()
	case t.nullable() || !f.required:
		return "*" + t.String()
	}
	return t.String()
}

func isAny(t *goType) bool {
	u := t.under()
	return u != nil && (u.kind == anyKind || u.kind == scalarKind && u.name == "any")
}

// empties reports whether nil has to be written as an empty list or object.
func (f *field) empties() bool {
	if !f.required || f.typ.nullable() {
		return false
	}
	u := f.typ.under()
	return u != nil && (u.kind == listKind || u.kind == mapKind || u.kind == scalarKind && u.name == "[]byte")
}

func (b *builder) writeStruct(w *writer, d *decl) {
	w.doc("", d.name, d.doc, d.deprecated)
	w.p("type %s struct {", d.name)
	for _, f := range d.fields {
		w.doc("\t", "", f.doc, f.depr)
		w.p("\t%s %s %s", f.name, b.fieldType(f), f.tag())
	}
	if d.rest != nil {
		w.p("\t// AdditionalProperties holds the members that have no field.")
		w.p("\tAdditionalProperties map[string]%s `json:\"-\"`", d.rest.inside())
	}
	w.p("}\n")
	b.writeUnmarshal(w, d)
	b.writeMarshal(w, d)
}

func (b *builder) writeUnmarshal(w *writer, d *decl) {
	w.p("// UnmarshalJSON reads %s %s. Names of members must match exactly; any may be missing.", article(d.name), d.name)
	w.p("func (v *%s) UnmarshalJSON(data []byte) error {", d.name)
	if d.null {
		w.p("\tif kindOf(data) == kindNull {\n\t\treturn nil\n\t}")
	}
	rest := "nil"
	if d.rest != nil {
		rest = "func(name string, value []byte) error { return keep(&v.AdditionalProperties, name, value) }"
		w.p("\tv.AdditionalProperties = nil")
	}
	if len(d.fields) == 0 {
		w.p("\treturn decodeObject(data, func(string) any { return nil }, %s)\n}\n", rest)
		return
	}
	w.p("\treturn decodeObject(data, func(name string) any {\n\t\tswitch name {")
	for _, f := range d.fields {
		w.p("\t\tcase %s:\n\t\t\treturn &v.%s", strconv.Quote(f.json), f.name)
	}
	w.p("\t\t}\n\t\treturn nil\n\t}, %s)\n}\n", rest)
}

func article(name string) string {
	if strings.ContainsAny(name[:1], "AEIO") {
		return "an"
	}
	return "a"
}

// writeMarshal writes a method where the tags of the fields do not say all.
func (b *builder) writeMarshal(w *writer, d *decl) {
	own := d.rest != nil
	mend := false
	for _, f := range d.fields {
		own = own || !taggable(f.json)
		mend = mend || f.empties() || f.fixed != nil
	}
	if !own && !mend {
		return
	}
	w.p("// MarshalJSON writes %s %s.", article(d.name), d.name)
	w.p("func (v %s) MarshalJSON() ([]byte, error) {", d.name)
	to := "v"
	if !own {
		w.p("\ttype plain %s\n\tp := plain(v)", d.name)
		to = "p"
	}
	for _, f := range d.fields {
		switch {
		case f.empties():
			w.p("\tif %s.%s == nil {\n\t\t%s.%s = %s{}\n\t}", to, f.name, to, f.name, f.typ)
		case f.fixed != nil && f.pointer:
		case f.fixed != nil && f.typ.decl.typ.name == "string" && !f.typ.decl.mixed:
			w.p("\tif %s.%s == \"\" {\n\t\t%s.%s = %s\n\t}", to, f.name, to, f.name, f.fixed.name)
		}
	}
	if !own {
		w.p("\treturn marshal(p)\n}\n")
		return
	}
	w.p("\treturn encodeObject([]member{")
	for _, f := range d.fields {
		skip := "false"
		if !f.required {
			skip = fmt.Sprintf("absent(&v.%s)", f.name)
		}
		w.p("\t\t{%s, v.%s, %s},", strconv.Quote(f.json), f.name, skip)
	}
	rest := "v.AdditionalProperties"
	if d.rest == nil {
		rest = "map[string]any(nil)"
	}
	w.p("\t}, %s)\n}\n", rest)
}

// taggable reports whether encoding/json takes a name in a tag.
func taggable(name string) bool {
	if name == "" {
		return false
	}
	for _, r := range name {
		if !strings.ContainsRune("!#$%&()*+-./:;<=>?@[]^_{|}~ ", r) && !isLetterOrDigit(r) {
			return false
		}
	}
	return true
}

func (f *field) tag() string {
	if !taggable(f.json) {
		return "`json:\"-\"`"
	}
	name := f.json
	if name == "-" {
		name = "-,"
	}
	if f.required {
		return "`json:\"" + name + "\"`"
	}
	return "`json:\"" + strings.TrimSuffix(name, ",") + ",omitzero\"`"
}

func (b *builder) writePlain(w *writer, d *decl) {
	w.doc("", d.name, d.doc, d.deprecated)
	t := d.typ
	u := t.under()
	switch {
	case u != nil && u.kind == scalarKind && u.name == "time.Time":
		w.p("type %s struct{ time.Time }\n", d.name)
		return
	case u != nil && (u.kind == anyKind || u.kind == scalarKind && u.name == "json.Number"):
		base := "json.RawMessage"
		if u.kind != anyKind {
			base = "json.Number"
		}
		w.p("type %s %s\n", d.name, base)
		w.p("// MarshalJSON writes the JSON that it holds.")
		w.p("func (v %s) MarshalJSON() ([]byte, error) { return marshal(%s(v)) }\n", d.name, base)
		w.p("// UnmarshalJSON keeps the JSON as it is.")
		w.p("func (v *%s) UnmarshalJSON(data []byte) error { return decodeValue(data, reflect.ValueOf((*%s)(v)).Elem()) }\n", d.name, base)
		return
	}
	w.p("type %s %s\n", d.name, t)
	if u != nil && (u.kind == listKind || u.kind == mapKind) {
		w.p("// UnmarshalJSON reads %s %s.", article(d.name), d.name)
		w.p("func (v *%s) UnmarshalJSON(data []byte) error { return decodeValue(data, reflect.ValueOf((*%s)(v)).Elem()) }\n", d.name, u)
	}
}

func (b *builder) writeEnum(w *writer, d *decl) {
	w.doc("", d.name, d.doc, d.deprecated)
	if d.mixed && d.doc == "" {
		w.p("// %s holds one of several values as JSON.", d.name)
	}
	w.p("type %s %s\n", d.name, d.typ)
	w.p("// The values of %s.\nconst (", d.name)
	for _, c := range d.constants {
		w.p("\t%s %s = %s", c.name, d.name, d.constant(c))
	}
	w.p(")\n")
	w.p("// Valid reports whether the contract has the value.")
	w.p("func (v %s) Valid() bool {\n\tswitch v {\n\tcase %s:\n\t\treturn true\n\t}\n\treturn false\n}\n",
		d.name, strings.Join(d.constantNames(), ", "))
	if d.mixed {
		w.p("// MarshalJSON writes the value.")
		w.p("func (v %s) MarshalJSON() ([]byte, error) { return json.RawMessage(v).MarshalJSON() }\n", d.name)
		w.p("// UnmarshalJSON reads a value.")
		w.p("func (v *%s) UnmarshalJSON(data []byte) error {\n\t*v = %s(compact(data))\n\treturn nil\n}\n", d.name, d.name)
	}
}

// constantNames lists the constants, each value once: 1 and 1.0 are the same to a switch.
func (d *decl) constantNames() []string {
	var out []string
	seen := map[string]bool{}
	for _, c := range d.constants {
		if v := d.constant(c); !seen[v] {
			seen[v] = true
			out = append(out, c.name)
		}
	}
	return out
}

func (d *decl) constant(c constant) string {
	switch {
	case d.mixed:
		if n, ok := wholeNumber(c.value); ok {
			return strconv.Quote(n.String())
		}
		return strconv.Quote(literal(c.value))
	case d.typ.name == "string":
		return strconv.Quote(str(c.value))
	}
	if n, ok := wholeNumber(c.value); ok {
		return n.String()
	}
	return literal(c.value)
}
