package golang

import (
	"go/token"
	"strconv"
	"strings"
	"unicode"

	"github.com/openassay/assay/internal/lazyregexp"
)

// initialisms are the words that Go writes in capitals. A configuration may add others.
var initialisms = []string{
	"ACL", "AMQP", "API", "ASCII", "CPU", "CSS", "DB", "DNS", "EOF", "GID", "GUID", "HTML", "HTTP", "HTTPS", "ID", "IP", "JSON", "QPS", "RAM",
	"RPC", "RTP", "SIP", "SLA", "SMTP", "SQL", "SSH", "TCP", "TLS", "TS", "TTL", "UDP", "UI", "UID", "URI", "URL", "UTF8", "UUID", "VM", "XML",
	"XMPP", "XSRF", "XSS",
}

// marks are the characters that a name may begin with and that would leave nothing of it otherwise: +1 and -1.
var marks = map[rune]string{
	'$': "", '-': "Minus", '+': "Plus", '&': "And", '|': "Or", '~': "Tilde", '=': "Equal", '>': "GreaterThan", '<': "LessThan", '#': "Hash",
	'.': "Dot", '*': "Asterisk", '^': "Caret", '%': "Percent", '_': "Underscore", '@': "At", '!': "Not",
	'/': "Slash", ':': "Colon", '?': "Question",
}

var words = lazyregexp.New(`[\p{Lu}\d]+(?:\P{Lu}+|$)|\P{Lu}+`)

// spelling turns the names of a contract into Go's.
type spelling struct{ capitals map[string]string }

func newSpelling(more []string) spelling {
	s := spelling{map[string]string{}}
	for _, list := range [][]string{initialisms, more} {
		for _, w := range list {
			s.capitals[strings.ToLower(w)] = w
		}
	}
	return s
}

// exported returns the exported Go identifier of a name: goal-id, goal_id and goalId are GoalID.
func (s spelling) exported(name string) string {
	var out strings.Builder
	if name == "" {
		return "Empty"
	}
	rest := []rune(name)
	for len(rest) > 0 {
		mark, known := marks[rest[0]]
		if !known {
			break
		}
		out.WriteString(mark)
		rest = rest[1:]
	}
	if out.Len() == 0 && len(rest) > 0 && unicode.IsDigit(rest[0]) {
		out.WriteString("N")
	}
	for _, word := range words.FindAllString(camel(string(rest)), -1) {
		if capitals := s.capitals[strings.ToLower(word)]; capitals != "" {
			word = capitals
		}
		out.WriteString(word)
	}
	id := out.String()
	if id == "" {
		return "X" + hexName(name)
	}
	if !token.IsExported(id) {
		id = "X" + id // letters without capitals
	}
	return id
}

// hexName spells a name of which no letter can stand in an identifier.
func hexName(name string) string {
	var b strings.Builder
	for _, r := range name {
		b.WriteString(strings.ToUpper(strconv.FormatInt(int64(r), 16)))
	}
	return b.String()
}

// local returns an identifier for an argument or a variable. It never is a keyword or a predeclared name.
func (s spelling) local(name string) string {
	id := s.exported(name)
	up := 0
	runes := []rune(id)
	for up < len(runes) && (unicode.IsUpper(runes[up]) || unicode.IsDigit(runes[up])) {
		up++
	}
	switch {
	case up == len(runes) || up <= 1:
	default:
		up-- // the last capital begins the next word
	}
	for i := range max(up, 1) {
		runes[i] = unicode.ToLower(runes[i])
	}
	return string(runes)
}

// camel joins the words of a name, each with a capital.
func camel(s string) string {
	var b strings.Builder
	up := true
	for _, r := range s {
		switch {
		case unicode.IsUpper(r):
			b.WriteRune(r)
			up = false
		case unicode.IsDigit(r):
			b.WriteRune(r)
			up = true
		case unicode.IsLetter(r):
			if up {
				r = unicode.ToUpper(r)
			}
			b.WriteRune(r)
			up = false
		default:
			up = true
		}
	}
	return b.String()
}

func isLetterOrDigit(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }

// names hands out identifiers, each once.
type names struct {
	taken map[string]bool
	tried map[string]int // how often a number was put behind an identifier
}

func newNames(reserved ...string) *names {
	n := &names{map[string]bool{}, map[string]int{}}
	for _, r := range reserved {
		n.taken[r] = true
	}
	return n
}

// free returns the identifier, with a number behind it if it is taken, and takes it.
func (n *names) free(id string) string {
	for i := n.tried[id] + 1; ; i++ {
		n.tried[id] = i
		try := id
		if i > 1 {
			try = id + strconv.Itoa(i)
			if last := id[len(id)-1]; last >= '0' && last <= '9' {
				try = id + "_" + strconv.Itoa(i)
			}
		}
		if !n.taken[try] && !token.IsKeyword(try) {
			n.taken[try] = true
			return try
		}
	}
}

var pathNames = lazyregexp.New(`\{([^{}]*)\}`)
