package specdiff

import (
	"bytes"
	"encoding/json"
	"math/big"
	"slices"
	"strconv"
	"strings"

	"github.com/go-openapi/jsonpointer"

	"github.com/openassay/assay/internal/lazyregexp"
)

// kind is the grammar of a place in a document: which members it has, and how it is compared.
type kind int

const (
	kValue kind = iota // anything else: objects by their members, lists as a whole
	kText              // a text for people: no program goes by it
	kType              // the keyword type: one name or a list
	kSet               // a list whose order says nothing
	kSets              // an object of sets
	kRoot              // the document
	kInfo
	kPaths // paths, webhooks and callbacks
	kItem  // a path
	kOperation
	kParameters // a list, told apart by place and name
	kParameter  // and a header
	kHeaders
	kBodies
	kBody
	kContent // media types
	kMedia
	kResponses
	kResponse
	kCallbacks
	kComponents
	kNamed   // components.parameters
	kSchemas // schemas by name
	kSchema
	kBranches // a list of schemas
)

// members lists the members of a kind that have a kind of their own.
var members = map[kind]map[string]kind{
	kRoot: {"paths": kPaths, "webhooks": kPaths, "components": kComponents, "info": kInfo, "security": kSet, "tags": kText,
		"externalDocs": kText},
	kInfo: {"title": kText, "description": kText, "summary": kText, "contact": kText, "license": kText, "termsOfService": kText},
	kItem: {"get": kOperation, "put": kOperation, "post": kOperation, "delete": kOperation, "options": kOperation, "head": kOperation,
		"patch": kOperation, "trace": kOperation, "query": kOperation, "parameters": kParameters},
	kOperation: {"parameters": kParameters, "requestBody": kBody, "responses": kResponses, "callbacks": kCallbacks, "tags": kText,
		"security": kSet, "externalDocs": kText},
	kParameter: {"schema": kSchema, "content": kContent},
	kBody:      {"content": kContent},
	kMedia:     {"schema": kSchema, "itemSchema": kSchema},
	kResponse:  {"headers": kHeaders, "content": kContent},
	kComponents: {"schemas": kSchemas, "parameters": kNamed, "headers": kHeaders, "requestBodies": kBodies, "responses": kResponses,
		"callbacks": kCallbacks, "pathItems": kPaths, "examples": kText, "mediaTypes": kContent},
	kSchema: {"additionalProperties": kSchema, "contains": kSchema, "contentSchema": kSchema, "else": kSchema, "if": kSchema,
		"items": kSchema, "not": kSchema, "propertyNames": kSchema, "then": kSchema, "unevaluatedItems": kSchema,
		"unevaluatedProperties": kSchema, "allOf": kBranches, "anyOf": kBranches, "oneOf": kBranches, "prefixItems": kBranches,
		"$defs": kSchemas, "definitions": kSchemas, "dependentSchemas": kSchemas, "patternProperties": kSchemas, "properties": kSchemas,
		"required": kSet, "enum": kSet, "type": kType, "dependentRequired": kSets, "title": kText, "externalDocs": kText},
}

// each is the kind of every member of a table.
var each = map[kind]kind{kPaths: kItem, kHeaders: kParameter, kBodies: kBody, kContent: kMedia, kResponses: kResponse, kCallbacks: kPaths,
	kNamed: kParameter, kSchemas: kSchema, kSets: kSet}

// texts lists the members that are texts wherever something else than a name can stand.
var texts = []string{"description", "summary", "examples", "example", "$comment"}

func (k kind) member(name string) kind {
	if of, table := each[k]; table {
		return of
	}
	if of, ok := members[k][name]; ok {
		return of
	}
	if k != kValue && slices.Contains(texts, name) {
		return kText
	}
	return kValue
}

// node is a place of a document. Lists whose order says nothing are tables by what their entries are.
type node struct {
	kind  kind
	at    string // its JSON pointer in the document
	raw   any
	kids  map[string]*node // of objects and sets
	list  []*node          // of branches
	order []string         // of the kids of a set
}

// builder makes nodes of a document.
type builder struct {
	doc     *document
	renamed map[string]string // components of this document that the other one has under another name: pointer -> its name
}

func (b *builder) node(k kind, v any, at string) *node {
	n := &node{kind: k, at: at, raw: v}
	switch v := v.(type) {
	case map[string]any:
		if k == kText || k == kType || k == kSet || k == kParameters || k == kBranches {
			return n // not what the standard has there: compared as a whole
		}
		n.kids = make(map[string]*node, len(v))
		for name, sub := range v {
			key, here := name, at+"/"+jsonpointer.Escape(name)
			switch {
			case k == kPaths && strings.HasPrefix(name, "/"):
				key = b.free(parameter.ReplaceAllString(name, "{}"), v, name)
			case b.renamed[here] != "":
				key = b.renamed[here]
			}
			n.kids[key] = b.node(k.member(name), sub, here)
		}
		b.pathNames(n, k)
	case string:
		n.raw = b.target(v)
	case []any:
		switch k {
		case kSet:
			b.set(n, v)
		case kParameters:
			b.parameters(n, v)
		case kBranches:
			n.list = []*node{}
			for i, e := range v {
				n.list = append(n.list, b.node(kSchema, e, at+"/"+strconv.Itoa(i)))
			}
		}
	}
	return n
}

// free returns the key of a path without the names of its parameters, or with them where another path is then alike.
func (b *builder) free(key string, all map[string]any, name string) string {
	for other := range all {
		if other != name && parameter.ReplaceAllString(other, "{}") == key {
			return name
		}
	}
	return key
}

// target is a string, a reference as the other document has it.
func (b *builder) target(r string) string {
	if name := b.renamed[strings.TrimPrefix(r, "#")]; name != "" {
		return r[:strings.LastIndexByte(r, '/')+1] + jsonpointer.Escape(name)
	}
	return r
}

func (b *builder) set(n *node, list []any) {
	n.kids = map[string]*node{}
	for i, e := range list {
		key := text(e)
		for n.kids[key] != nil {
			key += " again"
		}
		n.kids[key] = &node{kind: kValue, at: n.at + "/" + strconv.Itoa(i), raw: e}
		n.order = append(n.order, key)
	}
}

// parameters tells them apart by place and name. Those of a path have the name that their path gives them: see pathNames.
func (b *builder) parameters(n *node, list []any) {
	n.kids = map[string]*node{}
	for i, e := range list {
		o, _ := b.doc.follow(e).(map[string]any)
		in, _ := o["in"].(string)
		name, _ := o["name"].(string)
		key := in + " " + name
		for n.kids[key] != nil {
			key += " again"
		}
		n.kids[key] = b.node(kParameter, e, n.at+"/"+strconv.Itoa(i))
		n.order = append(n.order, key)
	}
}

var braces = lazyregexp.New(`\{([^/{}]*)\}`)

// pathNames tells the parameters of paths apart by where they stand in the path, so that another name is one change.
func (b *builder) pathNames(n *node, k kind) {
	if k != kPaths {
		return
	}
	for _, item := range n.kids {
		if item.kids == nil {
			continue
		}
		template := jsonpointer.Unescape(item.at[strings.LastIndexByte(item.at, '/')+1:])
		lists := []*node{item.kids["parameters"]}
		for _, operation := range item.kids {
			lists = append(lists, operation.kids["parameters"])
		}
		for _, list := range lists {
			for i, m := range braces.FindAllStringSubmatch(template, -1) {
				if list == nil || list.kids["path "+m[1]] == nil {
					continue
				}
				key := "path " + strconv.Itoa(i+1)
				list.kids[key] = list.kids["path "+m[1]]
				delete(list.kids, "path "+m[1])
				list.order[slices.Index(list.order, "path "+m[1])] = key
			}
		}
		if strings.Contains(template, "{") {
			item.kids["(template)"] = &node{kind: kValue, at: item.at, raw: template}
		}
	}
}

// text is a JSON value in one line, with sorted keys.
func text(v any) string {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if e.Encode(v) != nil {
		return "" // no value that JSON gave
	}
	return strings.TrimSuffix(b.String(), "\n")
}

// sameValue reports whether two values are equal; numbers may be written differently.
func sameValue(a, b any) bool {
	switch a := a.(type) {
	case map[string]any:
		o, ok := b.(map[string]any)
		if !ok || len(a) != len(o) {
			return false
		}
		for k, v := range a {
			w, there := o[k]
			if !there || !sameValue(v, w) {
				return false
			}
		}
		return true
	case []any:
		l, ok := b.([]any)
		return ok && slices.EqualFunc(a, l, sameValue)
	case json.Number:
		n, ok := b.(json.Number)
		return ok && (a == n || sameNumber(string(a), string(n)))
	}
	return a == b
}

// sameNumber compares without rounding. A huge exponent would cost as many digits: such numbers are equal if written so.
func sameNumber(a, b string) bool {
	if len(exponent.FindString(a)) > 4 || len(exponent.FindString(b)) > 4 {
		return false
	}
	x, xOK := new(big.Rat).SetString(a)
	y, yOK := new(big.Rat).SetString(b)
	return xOK && yOK && x.Cmp(y) == 0
}

var exponent = lazyregexp.New(`[eE].*$`)

// bare returns v without its texts. Below properties every key is a name, even one that looks like a keyword.
func bare(v any, named bool) any {
	switch v := v.(type) {
	case map[string]any:
		out := make(map[string]any, len(v))
		for k, sub := range v {
			if named || k != "title" && !slices.Contains(texts, k) {
				out[k] = bare(sub, !named && (k == "properties" || k == "patternProperties" || k == "$defs"))
			}
		}
		return out
	case []any:
		out := make([]any, len(v))
		for i, sub := range v {
			out[i] = bare(sub, false)
		}
		return out
	}
	return v
}
