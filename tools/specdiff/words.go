package specdiff

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"
)

// words tells a difference: where it is within what refers to it, and what became of it.
func (m difference) words() string {
	where, property := m.where()
	what := m.what(property)
	if where == "" {
		return what
	}
	return where + ": " + what
}

// where describes the way to a difference: the schema, the parameter, the reply. The property comes apart.
func (m difference) where() (string, string) {
	var parts []string
	property := ""
	add := func(format string, args ...any) { parts = append(parts, fmt.Sprintf(format, args...)) }
	for i, s := range m.path {
		last := i == len(m.path)-1
		above := ""
		if i > 0 {
			above = m.path[i-1].name
		}
		switch s.in {
		case kSchemas:
			switch {
			case above == "properties":
				property = strings.TrimPrefix(property+"/"+s.name, "/")
			case !last || m.old != nil && m.new != nil:
				add("%s `%s`", tableNames[above], s.name)
			}
		case kSchema:
			switch {
			case !last && (s.name == "items" || s.name == "contains" || s.name == "additionalProperties"):
				property = strings.TrimPrefix(property+"/"+s.name, "/")
			case !last && slices.Contains(conditions, s.name):
				add("`%s`", s.name)
			}
		case kBranches:
			if !last {
				add("branch %s of `%s`", s.name, above)
			}
		case kNamed, kHeaders, kBodies, kResponses, kContent, kParameters:
			if !last {
				add("%s", entry(s))
			}
		case kOperation:
			if s.name == "requestBody" && !last {
				add("request body")
			}
		case kCallbacks:
			add("callback `%s`", s.name)
		case kPaths:
			if len(parts) > 0 {
				add("`%s`", s.name)
			}
		}
	}
	return strings.Join(parts, ", "), property
}

// tableNames is what an entry of a table of schemas is called.
var tableNames = map[string]string{"schemas": "schema", "patternProperties": "members like", "dependentSchemas": "where there is",
	"$defs": "definition", "definitions": "definition"}

// conditions lists the keywords whose schema is about the same value.
var conditions = []string{"if", "then", "else", "not", "propertyNames", "unevaluatedItems", "unevaluatedProperties", "contentSchema"}

func entry(s step) string {
	switch s.in {
	case kParameters:
		in, name, _ := strings.Cut(s.name, " ")
		if in == "path" {
			return "parameter " + name + " of the path"
		}
		return fmt.Sprintf("parameter `%s` in %s", name, in)
	case kNamed:
		return fmt.Sprintf("parameter `%s`", s.name)
	case kHeaders:
		return fmt.Sprintf("header `%s`", s.name)
	case kBodies:
		return fmt.Sprintf("request body `%s`", s.name)
	case kResponses:
		return fmt.Sprintf("reply `%s`", s.name)
	case kContent:
		return fmt.Sprintf("media type `%s`", s.name)
	}
	return "`" + s.name + "`"
}

// what tells what became of a place.
func (m difference) what(property string) string {
	if len(m.path) == 0 {
		return "the document is another one"
	}
	last := m.path[len(m.path)-1]
	of := ""
	if property != "" && (last.in != kSchemas) {
		of = " of `" + property + "`"
	}
	above := ""
	if len(m.path) > 1 {
		above = m.path[len(m.path)-2].name
	}
	switch {
	case m.reordered && last.name == "type":
		return fmt.Sprintf("`type`%s is written in another way", of)
	case m.reordered:
		return fmt.Sprintf("`%s`%s stands in another order", last.name, of)
	case m.spelling:
		return fmt.Sprintf("`%s`%s is %s, which was written %s", last.name, of, shown(m.new.raw), shown(m.old.raw))
	case last.in == kType || last.name == "type" && last.in == kSchema && m.old != nil && m.new != nil:
		was, is := strings.Join(typesOf(m.old.raw), "` or `"), strings.Join(typesOf(m.new.raw), "` or `")
		return fmt.Sprintf("the type%s changed from `%s` to `%s`", of, was, is)
	case m.old == nil || m.new == nil:
		return m.cameOrWent(last, above, property, of)
	case last.name == "(template)":
		return fmt.Sprintf("the path is written `%s`, which was `%s`", m.new.raw, m.old.raw)
	case last.name == "(name)":
		return fmt.Sprintf("is called `%s`, which was `%s`", m.new.raw, m.old.raw)
	case m.path[0].name == "(events)":
		return fmt.Sprintf("the payload is `%s`, which was `%s`", m.new.raw, m.old.raw)
	case last.name == "$ref":
		return fmt.Sprintf("%srefers to `%s`, no longer to `%s`", prefixed(property), reference(m.new.raw), reference(m.old.raw))
	}
	return fmt.Sprintf("`%s`%s changed from %s to %s", m.keyword(), of, shown(m.old.raw), shown(m.new.raw))
}

func prefixed(property string) string {
	if property == "" {
		return ""
	}
	return "`" + property + "` "
}

func reference(v any) string {
	s, _ := v.(string)
	return strings.TrimPrefix(s, componentPrefix)
}

// keyword is the keyword that changed, with the way into it where it is an object.
func (m difference) keyword() string {
	i := len(m.path) - 1
	for i > 0 && (m.path[i].in == kValue || m.path[i].in == kSets) {
		i--
	}
	name := m.path[i].name
	for _, s := range m.path[i+1:] {
		name += "/" + s.name
	}
	return name
}

func (m difference) cameOrWent(last step, above, property, of string) string {
	n, verb, to, is, became := m.new, "added", "to", "is new", "required"
	if m.new == nil {
		n, verb, to, is, became = m.old, "removed", "from", "is gone", "optional"
	}
	switch last.in {
	case kSchemas:
		switch above {
		case "properties":
			needed := "optional"
			if len(m.also) > 0 {
				needed = "required"
			}
			text := fmt.Sprintf("%s the %s property `%s`", verb, needed, property)
			if m.became != "" {
				text += fmt.Sprintf(" (`%s`, which is new, has its schema)", m.became)
			}
			return text
		case "schemas":
			return fmt.Sprintf("the schema `%s` %s", last.name, is)
		}
		return fmt.Sprintf("%s `%s` %s `%s`%s", verb, last.name, to, above, of)
	case kSet, kSets:
		switch above {
		case "required":
			name := strings.Trim(last.name, `"`)
			if property != "" {
				name = property + "/" + name
			}
			return fmt.Sprintf("the property `%s` became %s", name, became)
		case "enum":
			return fmt.Sprintf("%s the value `%s` %s the enum%s", verb, strings.Trim(clip(last.name), `"`), to, of)
		}
		return fmt.Sprintf("%s %s %s `%s`%s", verb, clip(last.name), to, above, of)
	case kPaths:
		return "the path " + is
	case kItem:
		if members[kItem][last.name] == kOperation {
			return "the operation " + is
		}
	case kParameters, kNamed:
		needed := ""
		if o, ok := n.raw.(map[string]any); ok && m.old == nil && o["required"] == true {
			needed = "required "
		}
		return fmt.Sprintf("%s the %s%s", verb, needed, entry(last))
	case kHeaders, kBodies, kResponses, kContent:
		return fmt.Sprintf("%s the %s", verb, entry(last))
	case kBranches:
		what := n.title()
		if what == "" {
			what = shown(n.raw)
		}
		return fmt.Sprintf("%s a branch %s `%s`%s: %s", verb, to, above, of, clip(strings.TrimPrefix(what, "$ref ")))
	}
	if m.path[0].name == "(events)" {
		return "the event " + is
	}
	return fmt.Sprintf("%s `%s` %s%s", verb, m.keyword(), shown(n.raw), of)
}

// shown is a value in a few words.
func shown(v any) string { return "`" + clip(text(v)) + "`" }

const mostShown = 80

func clip(s string) string {
	if utf8.RuneCountInString(s) <= mostShown {
		return s
	}
	return string([]rune(s)[:mostShown]) + "…"
}
