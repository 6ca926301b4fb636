package golang

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// client writes the methods of the client, and what they return.
func (b *builder) client(ops []*operation) string {
	w := &writer{}
	raw := newNames("Server", "Client", "RequestEditors", "Check", "MaxBody")
	for _, o := range ops {
		raw.free(o.name)
	}
	for _, o := range ops {
		b.clientOperation(w, o, raw)
	}
	return w.String()
}

// way is one way to call an operation: with a body of one media type, with any body, or without one.
type way struct {
	method   string   // of Client
	arg      string   // the argument for the body, as declared
	pass     string   // and as passed on
	prepare  []string // what is done to the call
	decodes  string   // method of ClientWithResponses
	comment  string
	original *content
}

func (b *builder) clientOperation(w *writer, o *operation, taken *names) {
	var ways []way
	if len(o.bodies) == 0 {
		ways = append(ways, way{method: o.name})
	}
	for _, c := range o.bodies {
		name := o.name
		if len(ways) > 0 || c.class != jsonBody {
			name = ""
		}
		var arg, set string
		switch c.class {
		case jsonBody, formBody:
			arg, set = c.typ.String(), "true"
			if c.typ.isNil() {
				set = "body != nil"
			} else if o.optional {
				arg, set = "*"+arg, "body != nil"
			}
		case textBody:
			arg, set = "string", "true"
		default:
			continue
		}
		if name == "" {
			name = taken.free(o.name + "With" + b.bodyTag(c) + "Body")
		}
		prepare := fmt.Sprintf("made.json(%s, body, %s)", strconv.Quote(c.media), set)
		switch c.class {
		case formBody:
			prepare = fmt.Sprintf("made.form(%s, body, %s)", strconv.Quote(c.media), set)
		case textBody:
			prepare = fmt.Sprintf("made.raw(%s, strings.NewReader(body))", strconv.Quote(c.media))
		}
		ways = append(ways, way{method: name, arg: "body " + arg + ", ", pass: "body, ", prepare: []string{prepare},
			comment: "with a body of " + c.media, original: c})
	}
	if len(o.bodies) > 0 {
		name := taken.free(o.name + "WithBody")
		if len(ways) == 0 {
			name = o.name
		}
		ways = append(ways, way{method: name, arg: "contentType string, body io.Reader, ", pass: "contentType, body, ",
			prepare: []string{"made.raw(contentType, body)"}, comment: "with a body of any kind"})
	}
	for _, v := range ways {
		b.owners.methods[v.method], b.owners.methods[v.method+"WithResponse"] = o.pointer, o.pointer
		b.writeCall(w, o, v)
	}
	var stream *content
	whole := false
	for _, r := range o.responses {
		for _, c := range r.bodies {
			if c.class == streamBody {
				if stream == nil && r.status[0] == '2' {
					stream = c
				}
			} else if r.status[0] == '2' {
				whole = true
			}
		}
	}
	if stream != nil {
		b.writeStream(w, o, ways[0], stream, taken)
	}
	if stream != nil && !whole {
		return // a stream has no whole
	}
	b.writeResult(w, o)
	for _, v := range ways {
		b.writeCallWithResponse(w, o, v)
	}
}

// arguments lists the arguments of an operation's methods before the body.
func (o *operation) arguments() (declared, passed string) {
	declared, passed = "ctx context.Context, ", "ctx, "
	for _, p := range o.parameters {
		if p.in == "path" {
			declared += p.local + " " + p.typ.String() + ", "
			passed += p.local + ", "
		}
	}
	if o.paramsType != "" {
		declared += "params *" + o.paramsType + ", "
		passed += "params, "
	}
	return declared, passed
}

func (b *builder) writeCall(w *writer, o *operation, v way) {
	b.callComment(w, o, v.method, v)
	declared, _ := o.arguments()
	w.p("func (c *Client) %s(%s%seditors ...RequestEditorFn) (*http.Response, error) {", v.method, declared, v.arg)
	w.p("\tmade := newCall(%s)", strconv.Quote(o.method))
	w.WriteString("\tmade")
	rest := o.path
	for rest != "" {
		at := pathNames.FindStringSubmatchIndex(rest)
		if at == nil {
			fmt.Fprintf(w, ".literal(%s)", strconv.Quote(rest))
			break
		}
		if at[0] > 0 {
			fmt.Fprintf(w, ".literal(%s)", strconv.Quote(rest[:at[0]]))
		}
		i := slices.IndexFunc(o.parameters, func(p *parameter) bool { return p.in == "path" && p.name == rest[at[2]:at[3]] })
		fmt.Fprintf(w, ".set(%s, %s, true)", o.parameters[i].variable, o.parameters[i].local)
		rest = rest[at[1]:]
	}
	w.p("")
	if o.paramsType != "" {
		w.p("\tif params != nil {")
		for _, p := range o.parameters {
			if p.in == "path" {
				continue
			}
			set := "true"
			if !p.required {
				set = "params." + p.field + " != nil"
			}
			w.p("\t\tmade.set(%s, params.%s, %s)", p.variable, p.field, set)
		}
		w.p("\t}")
	}
	for _, line := range v.prepare {
		w.p("\t%s", line)
	}
	w.p("\treturn c.send(ctx, made, editors)\n}\n")
}

func (b *builder) callComment(w *writer, o *operation, name string, v way) {
	w.doc("", name, o.doc, o.deprecated)
	note := fmt.Sprintf("It sends %s %s", o.method, o.path)
	if v.comment != "" {
		note += " " + v.comment
	}
	if o.doc == "" {
		note = name + " sends" + strings.TrimPrefix(note, "It sends")
	} else {
		w.p("//")
	}
	w.p("// %s.", oneLine(note))
}

func (b *builder) writeCallWithResponse(w *writer, o *operation, v way) {
	declared, passed := o.arguments()
	name := v.method + "WithResponse"
	w.p("// %s is like [Client.%s], but decodes the reply.", name, v.method)
	w.p("func (c *ClientWithResponses) %s(%s%seditors ...RequestEditorFn) (*%s, error) {", name, declared, v.arg, o.resultType)
	w.p("\tr, err := c.Client.%s(%s%seditors...)", v.method, passed, v.pass)
	w.p("\tif err != nil {\n\t\treturn nil, err\n\t}\n\treturn c.Client.read%s(r)\n}\n", o.name)
}

// writeResult writes the type of a decoded reply, and the method that decodes it.
func (b *builder) writeResult(w *writer, o *operation) {
	w.p("// %s is a reply to %s. Of its decoded bodies that of the reply's status and media type is set.", o.resultType, o.name)
	w.p("type %s struct {\n\tBody []byte\n\tHTTPResponse *http.Response", o.resultType)
	for _, r := range o.responses {
		for _, c := range r.bodies {
			if t := c.resultType(); t != "" {
				w.p("\t%s %s // %s, %s", c.field, t, r.status, oneLine(c.media))
			}
		}
	}
	w.p("}\n")
	w.p("// StatusCode returns the status of the reply.")
	w.p("func (r *%s) StatusCode() int { return r.HTTPResponse.StatusCode }\n", o.resultType)
	w.p("func (c *Client) read%s(r *http.Response) (*%s, error) {", o.name, o.resultType)
	w.p("\tbody, err := c.whole(r)\n\tout := &%s{Body: body, HTTPResponse: r}", o.resultType)
	w.p("\tif err != nil || len(body) == 0 {\n\t\treturn out, err\n\t}")
	var cases []string
	for _, r := range sortResponses(o.responses) {
		for _, c := range r.bodies {
			if c.resultType() == "" {
				continue
			}
			condition := fmt.Sprintf("isMedia(r.Header, %s)", strconv.Quote(c.media))
			switch {
			case strings.HasSuffix(r.status, "XX"):
				condition = fmt.Sprintf("r.StatusCode/100 == %c && %s", r.status[0], condition)
			case r.status != "default":
				condition = fmt.Sprintf("r.StatusCode == %s && %s", r.status, condition)
			}
			act := fmt.Sprintf("err = c.decodeReply(%s, body, &out.%s)", strconv.Quote(c.schema), c.field)
			if c.class == textBody {
				act = fmt.Sprintf("text := string(body)\n\t\tout.%s = &text", c.field)
			}
			cases = append(cases, fmt.Sprintf("\tcase %s:\n\t\t%s", condition, act))
		}
	}
	if len(cases) > 0 {
		w.p("\tswitch {\n%s\n\t}", strings.Join(cases, "\n"))
	}
	w.p("\treturn out, err\n}\n")
}

// sortResponses puts statuses before classes of statuses, and these before default.
func sortResponses(responses []*response) []*response {
	return slices.SortedStableFunc(slices.Values(responses), func(x, y *response) int {
		rank := func(r *response) int {
			switch {
			case r.status == "default":
				return 2
			case strings.HasSuffix(r.status, "XX"):
				return 1
			}
			return 0
		}
		return rank(x) - rank(y)
	})
}

// resultType is the type of a decoded body, or "" if it is left as it is.
func (c *content) resultType() string {
	switch c.class {
	case jsonBody:
		if c.typ.isNil() {
			return c.typ.String()
		}
		return "*" + c.typ.String()
	case textBody:
		return "*string"
	}
	return ""
}

func (b *builder) writeStream(w *writer, o *operation, v way, c *content, taken *names) {
	name := taken.free(o.name + "Seq")
	b.owners.methods[name] = o.pointer
	declared, passed := o.arguments()
	w.p("// %s reads the event stream of %s, from the events after options.LastEventID. Leaving the loop closes it.", name, o.name)
	w.p("func (c *Client) %s(%s%soptions StreamOptions, editors ...RequestEditorFn) iter.Seq2[StreamEvent[%s], error] {",
		name, declared, v.arg, c.typ)
	w.p("\treturn streamEvents[%s](ctx, options, func(edit RequestEditorFn) (*http.Response, error) {", c.typ)
	w.p("\t\treturn c.%s(%s%sappend(editors[:len(editors):len(editors)], edit)...)\n\t})\n}\n", v.method, passed, v.pass)
}
