package golang

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
)

func (b *builder) writeUnion(w *writer, d *decl) {
	var cases []string
	for _, c := range d.cases {
		cases = append(cases, c.typ.decl.name)
	}
	if d.doc != "" {
		w.doc("", d.name, d.doc, d.deprecated)
		w.p("//")
		w.doc("", "", "It is one of "+strings.Join(cases, ", ")+", or "+d.unknown+".", false)
	} else {
		w.doc("", "", d.name+" is one of "+strings.Join(cases, ", ")+", or "+d.unknown+".", d.deprecated)
	}
	w.p("type %s interface{ is%s() }\n", d.name, d.name)
	w.p("// %s holds the JSON of %s %s that is none of its cases, or could be several.", d.unknown, article(d.name), d.name)
	w.p("type %s json.RawMessage\n", d.unknown)
	w.p("func (%s) is%s() {}\n", d.unknown, d.name)
	w.p("// MarshalJSON writes the JSON that it holds.")
	w.p("func (v %s) MarshalJSON() ([]byte, error) { return json.RawMessage(v).MarshalJSON() }\n", d.unknown)
	w.p("// As reads it as a value of the reader's choice, to which the pointer leads.")
	w.p("func (v %s) As(to any) error { return Decode(v, to) }\n", d.unknown)
	w.p("// %s reads %s %s.", d.reader, article(d.name), d.name)
	w.p("func %s(data []byte) (%s, error) {\n\tvar v %s\n\terr := Decode(data, &v)\n\treturn v, err\n}\n", d.reader, d.name, d.name)
	tells := "tellsOf" + d.name
	w.p("var %s = []tell{", tells)
	for _, c := range d.cases {
		w.p("\t%s,", b.tell(c))
	}
	w.p("}\n")
	w.p("func caseOf%s(data []byte) (any, error) {", d.name)
	decode := fmt.Sprintf("choose[%s](data, %s, %t)", d.unknown, tells, !d.loose)
	if d.discriminator != "" {
		var pairs []string
		for _, value := range slices.Sorted(maps.Keys(d.mapping)) {
			pairs = append(pairs, fmt.Sprintf("%s: %d", strconv.Quote(value), d.mapping[value]))
		}
		decode = fmt.Sprintf("named[%s](data, %s, map[string]int{%s}, %s, %t)", d.unknown, strconv.Quote(d.discriminator),
			strings.Join(pairs, ", "), tells,
			!d.loose)
	}
	w.p("\treturn %s\n}\n", decode)
}

// tell writes what distinguishes the values of a case.
func (b *builder) tell(c unionCase) string {
	s := b.flat(c.schema)
	kinds := b.kindsBelow(c.schema, 0)
	out := []string{fmt.Sprintf("decode: decodeCase[%s], kinds: %d", c.typ.decl.name, kinds)}
	if values := valuesOf(s); values != nil {
		out = append(out, "values: "+literals(values))
	}
	if kinds&structure == 0 || s["oneOf"] != nil || s["anyOf"] != nil {
		return "{" + strings.Join(out, ", ") + "}"
	}
	var required []string
	for _, r := range list(s["required"]) {
		required = append(required, strconv.Quote(str(r)))
	}
	slices.Sort(required)
	if len(required) > 0 {
		out = append(out, "required: []string{"+strings.Join(slices.Compact(required), ", ")+"}")
	}
	var members, consts []string
	properties := obj(s["properties"])
	for _, name := range keys(properties) {
		members = append(members, fmt.Sprintf("%s: %d", strconv.Quote(name), b.kindsBelow(properties[name], 0)))
		if values := valuesOf(b.flat(properties[name])); values != nil {
			consts = append(consts, strconv.Quote(name)+": "+literals(values))
		}
	}
	if len(members) > 0 {
		out = append(out, "members: map[string]int{"+strings.Join(members, ", ")+"}")
	}
	if len(consts) > 0 {
		out = append(out, "consts: map[string][]string{"+strings.Join(consts, ", ")+"}")
	}
	if hasFalse(s) && s["patternProperties"] == nil {
		out = append(out, "closed: true")
	}
	return "{" + strings.Join(out, ", ") + "}"
}

// literals writes values as the compact JSON that the generated code compares.
func literals(values []any) string {
	var out []string
	for _, v := range values {
		text := literal(v)
		if n, ok := wholeNumber(v); ok {
			text = n.String()
		}
		out = append(out, strconv.Quote(text))
	}
	return "[]string{" + strings.Join(out, ", ") + "}"
}

// kindsBelow returns the kinds of values that a schema takes, those of its branches included.
func (b *builder) kindsBelow(v any, depth int) int {
	if v == false {
		return 0
	}
	s := b.flat(v)
	if s == nil || depth > deepestLook || s["x-go-type"] != nil {
		return everything
	}
	kinds := kindsOf(s)
	if s["nullable"] == true {
		kinds |= null
	}
	for _, k := range []string{"oneOf", "anyOf"} {
		of := 0
		for _, branch := range list(s[k]) {
			of |= b.kindsBelow(branch, depth+1)
		}
		if of != 0 {
			kinds &= of
		}
	}
	return cmp.Or(kinds, everything)
}
