package golang

import (
	"cmp"
	"mime"
	"slices"
	"strconv"
	"strings"
)

func (b *builder) readBodies(o *operation, raw object, at string) {
	body, where := b.follow(raw["requestBody"], join(at, "requestBody"))
	if body == nil {
		return
	}
	o.optional = body["required"] != true
	hint := o.name + "RequestBody"
	if rest, ok := strings.CutPrefix(where, "/components/requestBodies/"); ok {
		hint = b.spell.exported(unescape(rest)) + "Body"
	}
	o.bodies = b.contents(obj(body["content"]), hint, join(where, "content"))
}

// contents reads the media types of a body, JSON first.
func (b *builder) contents(media object, hint, at string) []*content {
	var out []*content
	for _, name := range keys(media) {
		c := &content{media: name, class: classOf(name)}
		if base, _, err := mime.ParseMediaType(name); err == nil {
			c.media = base
		}
		entry := obj(media[name])
		schema, where := entry["schema"], join(at, name, "schema")
		c.schema = where
		switch c.class {
		case jsonBody, formBody:
			c.typ = b.cached(schema, hint, where)
		case streamBody:
			c.typ = b.eventData(entry, hint, join(at, name))
		}
		if c.class == formBody {
			c.shape = b.shape(schema, 0)
		}
		if slices.ContainsFunc(out, func(o *content) bool { return o.media == c.media }) {
			continue // application/json twice, once with a charset
		}
		out = append(out, c)
	}
	slices.SortStableFunc(out, func(x, y *content) int { return cmp.Compare(rank(x), rank(y)) })
	return out
}

func rank(c *content) int {
	switch {
	case c.media == "application/json":
		return 0
	case strings.Contains(c.media, "*"):
		return 2
	}
	return 1
}

func classOf(media string) class {
	base, _, err := mime.ParseMediaType(media)
	if err != nil {
		base = media
	}
	switch {
	case base == "application/json", base == "text/json", strings.HasSuffix(base, "+json"):
		return jsonBody
	case base == "application/x-www-form-urlencoded":
		return formBody
	case strings.HasPrefix(base, "multipart/"):
		return multipartBody
	case base == "text/event-stream":
		return streamBody
	case strings.HasPrefix(base, "text/") && base != "text/*":
		return textBody
	}
	return binaryBody
}

// eventData returns the type of the data of an event stream. OpenAPI 3.2 describes an event by itemSchema.
func (b *builder) eventData(entry object, hint, at string) *goType {
	schema, where := entry["schema"], join(at, "schema")
	if item := entry["itemSchema"]; item != nil {
		schema, where = item, join(at, "itemSchema")
		if data, ok := obj(b.flat(item)["properties"])["data"]; ok {
			schema, where = data, join(where, "properties", "data")
			if inner := b.deref(data)["contentSchema"]; inner != nil {
				schema, where = inner, join(where, "contentSchema")
			}
		}
	}
	if schema == nil || kindsOf(b.flat(schema)) == text {
		return &goType{kind: scalarKind, name: "string"}
	}
	return b.cached(schema, hint, where)
}

func (b *builder) readResponse(o *operation, status string, v any, at string) {
	s, where := b.follow(v, at)
	r := &response{status: status, doc: str(s["description"])}
	if upper := strings.ToUpper(status); len(upper) == 3 && strings.HasSuffix(upper, "XX") {
		r.status = upper
	} else if n, err := strconv.Atoi(status); status != "default" && (err != nil || n < 100 || n > 599) {
		b.bad(problem(at, "write a status, a class such as 4XX, or default", "%q is no status", status))
		return
	}
	part := "Response" + status
	if status == "default" {
		part = "ResponseDefault"
	}
	hint := o.name + part
	if rest, ok := strings.CutPrefix(where, "/components/responses/"); ok {
		hint = b.spell.exported(unescape(rest))
	}
	r.bodies = b.contents(obj(s["content"]), hint+"Body", join(where, "content"))
	headers := obj(s["headers"])
	for _, name := range keys(headers) {
		if strings.EqualFold(name, "content-type") {
			continue // the body says it
		}
		h, headerAt := b.follow(headers[name], join(where, "headers", name))
		p := b.parameter(hint, h, name, "header", headerAt)
		r.headers = append(r.headers, p)
	}
	o.responses = append(o.responses, r)
}
