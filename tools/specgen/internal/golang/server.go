package golang

import (
	"fmt"
	"strconv"
	"strings"
)

// server writes the interface that a server implements, its requests and responses, and the handler around it.
func (b *builder) server(ops []*operation) string {
	w := &writer{}
	w.p("// StrictServerInterface has a method for each operation. A request is decoded before, and the response that a method")
	w.p("// returns is written after it. Any type with the right Visit method is a response.")
	w.p("type StrictServerInterface interface {")
	for _, o := range ops {
		w.doc("\t", o.name, o.doc, o.deprecated)
		w.p("\t// (%s %s)", o.method, oneLine(o.path))
		w.p("\t%s(ctx context.Context, request %s) (%s, error)", o.name, o.requestType, o.replyType)
	}
	w.p("}\n")
	w.p("// Handler returns the handler of an API.")
	w.p("func Handler(s StrictServerInterface) http.Handler { return HandlerWithOptions(s, ServerOptions{}) }\n")
	w.p("// HandlerWithOptions returns the handler of an API: the router that its operations are registered with.")
	w.p("func HandlerWithOptions(s StrictServerInterface, options ServerOptions) http.Handler {\n\to := options.ready()")
	for _, o := range ops {
		w.p("\to.handle(%s, %s, func(w http.ResponseWriter, r *http.Request) { serve%s(s, o, w, r) })",
			strconv.Quote(o.method), strconv.Quote(o.path), o.name)
	}
	w.p("\treturn o.BaseRouter\n}\n")
	for _, o := range ops {
		b.writeRequest(w, o)
		b.writeServe(w, o)
		for _, r := range o.responses {
			b.writeResponses(w, o, r)
		}
	}
	return w.String()
}

// bodyType is the type of a body in a request object.
func (c *content) bodyType() string {
	switch c.class {
	case jsonBody, formBody:
		if c.typ.isNil() {
			return c.typ.String()
		}
		return "*" + c.typ.String()
	case multipartBody:
		return "*multipart.Reader"
	case textBody:
		return "*string"
	}
	return "io.Reader"
}

func (b *builder) writeRequest(w *writer, o *operation) {
	w.p("// %s is a request of %s.", o.requestType, o.name)
	w.p("type %s struct {", o.requestType)
	for _, p := range o.parameters {
		if p.in == "path" {
			w.doc("\t", "", p.doc, false)
			w.p("\t%s %s", p.field, p.typ)
		}
	}
	if o.paramsType != "" {
		w.p("\tParams %s", o.paramsType)
	}
	wild := false
	for _, c := range o.bodies {
		w.p("\t%s %s // %s", c.field, c.bodyType(), oneLine(c.media))
		wild = wild || strings.Contains(c.media, "*")
	}
	if wild {
		w.p("\tContentType string")
	}
	w.p("}\n")
	w.p("// %s is a response of %s.", o.replyType, o.name)
	w.p("type %s interface {\n\tVisit%sResponse(w http.ResponseWriter) error\n}\n", o.replyType, o.name)
}

func (b *builder) writeServe(w *writer, o *operation) {
	w.p("func serve%s(s StrictServerInterface, o *ServerOptions, w http.ResponseWriter, r *http.Request) {", o.name)
	w.p("\tin := o.incoming(w, r)\n\tvar request %s", o.requestType)
	for _, p := range o.parameters {
		to := "request.Params." + p.field
		if p.in == "path" {
			to = "request." + p.field
		}
		w.p("\tin.param(%s, &%s)", p.variable, to)
	}
	b.writeReadBody(w, o)
	w.p("\to.serve(in, %s, request, func(ctx context.Context, request any) (any, error) {", strconv.Quote(o.name))
	w.p("\t\treturn s.%s(ctx, request.(%s))", o.name, o.requestType)
	w.p("\t}, func(response any) (bool, error) {")
	w.p("\t\tv, known := response.(%s)\n\t\tif !known {\n\t\t\treturn false, nil\n\t\t}", o.replyType)
	w.p("\t\treturn true, v.Visit%sResponse(w)\n\t})\n}\n", o.name)
}

func (b *builder) writeReadBody(w *writer, o *operation) {
	if len(o.bodies) == 0 {
		return
	}
	var media []string
	for _, c := range o.bodies {
		media = append(media, strconv.Quote(c.media))
	}
	w.p("\tswitch in.media(%v, %s) {", !o.optional, strings.Join(media, ", "))
	for i, c := range o.bodies {
		w.p("\tcase %d:", i)
		switch c.class {
		case jsonBody:
			w.p("\t\tin.json(%v, &request.%s)", !o.optional, c.field)
		case formBody:
			w.p("\t\tin.form(&%s, &request.%s)", c.shape, c.field)
		case textBody:
			w.p("\t\trequest.%s = in.text()", c.field)
		case multipartBody:
			w.p("\t\trequest.%s = in.parts()", c.field)
		default:
			w.p("\t\trequest.%s = r.Body", c.field)
			if strings.Contains(c.media, "*") {
				w.p("\t\trequest.ContentType = r.Header.Get(\"Content-Type\")")
			}
		}
	}
	w.p("\t}")
}

// writeResponses writes the types of a response, one for each media type.
func (b *builder) writeResponses(w *writer, o *operation, r *response) {
	if r.headersType != "" {
		w.p("// %s holds the headers of a response.", r.headersType)
		w.p("type %s struct {", r.headersType)
		for _, p := range r.headers {
			w.doc("\t", "", p.doc, false)
			w.p("\t%s %s", p.field, p.goType())
		}
		w.p("}\n")
	}
	if len(r.bodies) == 0 {
		b.writeResponse(w, o, r, r.typeNames[0], nil)
		return
	}
	for i, c := range r.bodies {
		b.writeResponse(w, o, r, r.typeNames[i], c)
	}
}

// goType is the type of a parameter's field: a pointer or nil where it may be left out.
func (p *parameter) goType() string {
	if p.required || p.typ.isNil() {
		return p.typ.String()
	}
	return "*" + p.typ.String()
}

func (b *builder) writeResponse(w *writer, o *operation, r *response, name string, c *content) {
	var fields, writes []string
	status := r.status
	value := "response.Body"
	if fixed := len(status) == 3 && !strings.HasSuffix(status, "XX"); !fixed {
		fields = append(fields, "StatusCode int")
		status = "response.StatusCode"
	}
	for _, p := range r.headers {
		set := "true"
		if !p.required {
			set = "!absent(&response.Headers." + p.field + ")"
		}
		writes = append(writes, fmt.Sprintf("\tif %s {\n"+
			"\t\tif err := setHeader(w, %s, response.Headers.%s); err != nil {\n\t\t\treturn err\n\t\t}\n\t}",
			set, p.variable, p.field))
	}
	if len(r.headers) > 0 {
		fields = append(fields, "Headers "+r.headersType)
	}
	w.doc("", name, r.doc, false)
	if c == nil {
		w.p("type %s struct {\n%s\n}\n", name, strings.Join(fields, "\n"))
		writes = append(writes, fmt.Sprintf("\tw.WriteHeader(%s)\n\treturn nil", status))
		b.writeVisit(w, o, name, writes)
		return
	}
	media := strconv.Quote(c.media)
	if strings.Contains(c.media, "*") {
		fields = append(fields, "ContentType string")
		media = "response.ContentType"
	}
	switch c.class {
	case jsonBody, formBody:
		if len(fields) == 0 && c.typ.definable() {
			w.p("type %s %s\n", name, c.typ)
			value = c.typ.String() + "(response)"
		} else {
			fields = append(fields, "Body "+c.typ.inside())
			w.p("type %s struct {\n%s\n}\n", name, strings.Join(fields, "\n"))
		}
		call := "writeJSON"
		if c.class == formBody {
			call = "writeForm"
		}
		if u := c.typ.under(); u != nil && !c.typ.nullable() && (u.kind == listKind || u.kind == mapKind) {
			writes = append(writes, fmt.Sprintf("\tif body := %s; body != nil {\n\t\treturn %s(w, %s, %s, body)\n\t}\n\treturn %s(w, %s, %s, %s{})",
				value, call, status, media, call, status, media, c.typ))
			break
		}
		writes = append(writes, fmt.Sprintf("\treturn %s(w, %s, %s, %s)", call, status, media, value))
	case textBody:
		if len(fields) == 0 {
			w.p("type %s string\n", name)
			value = "string(response)"
		} else {
			w.p("type %s struct {\n%s\nBody string\n}\n", name, strings.Join(fields, "\n"))
		}
		writes = append(writes, fmt.Sprintf("\treturn writeText(w, %s, %s, %s)", status, media, value))
	case streamBody:
		fields = append(fields, "// Stream sends the events. The response ends when it returns.",
			"Stream func(*EventWriter["+c.typ.String()+"]) error")
		w.p("type %s struct {\n%s\n}\n", name, strings.Join(fields, "\n"))
		writes = append(writes, fmt.Sprintf("\treturn writeStream(w, %s, %s, response.Stream)", status, media))
	default:
		if c.class == multipartBody {
			fields = append(fields, "ContentType string // with the boundary")
			media = "response.ContentType"
		}
		fields = append(fields, "Body io.Reader // closed at the end, if it can be", "ContentLength int64 // 0: unknown")
		w.p("type %s struct {\n%s\n}\n", name, strings.Join(fields, "\n"))
		writes = append(writes, fmt.Sprintf("\treturn copyBody(w, %s, %s, response.ContentLength, response.Body)", status, media))
	}
	b.writeVisit(w, o, name, writes)
}

// definable reports whether a type can be the base of another without losing its JSON form.
func (t *goType) definable() bool {
	if t.nullable() {
		return false
	}
	switch t.kind {
	case listKind, mapKind:
		return true
	case refKind:
		u := t.under()
		return t.target().kind == structDecl || u != nil && (u.kind == listKind || u.kind == mapKind)
	}
	return false
}

func (b *builder) writeVisit(w *writer, o *operation, name string, writes []string) {
	w.p("// Visit%sResponse writes the response.", o.name)
	w.p("func (response %s) Visit%sResponse(w http.ResponseWriter) error {\n%s\n}\n", name, o.name, strings.Join(writes, "\n"))
}

// params writes the types of query, header and cookie parameters.
func (b *builder) params(ops []*operation) string {
	w := &writer{}
	for _, o := range ops {
		if o.paramsType == "" {
			continue
		}
		w.p("// %s holds the parameters of %s that do not stand in its path.", o.paramsType, o.name)
		w.p("type %s struct {", o.paramsType)
		for _, p := range o.parameters {
			if p.in != "path" {
				w.doc("\t", "", p.doc, false)
				w.p("\t%s %s // %s", p.field, p.goType(), p.in)
			}
		}
		w.p("}\n")
	}
	if len(b.table) > 0 {
		w.p("var (")
		for _, e := range b.table {
			w.p("\t%s = parameter%s", e.name, e.code)
		}
		w.p(")")
	}
	return w.String()
}
