package html

import (
	"encoding/json"
	"slices"
	"sort"
	"strconv"
	"strings"
	"unicode"

	"github.com/go-openapi/jsonpointer"

	"github.com/openassay/assay/internal/lazyregexp"
	"github.com/openassay/assay/internal/textsafe"
	"github.com/openassay/assay/scenarios/wire"
)

// carried is a string of a reply that a later request has in it.
type carried struct {
	name    string // of the variable
	value   string // as the transcript has it; of a secret its placeholder
	from    int    // entry whose reply has it first
	pointer string
}

// in says whether a request has the value.
func (c *carried) in(e *wire.Entry) bool {
	if e == nil || e.Request == nil {
		return false
	}
	if strings.Contains(e.Request.URL, c.value) || strings.Contains(e.Request.Body, c.value) {
		return true
	}
	for _, v := range e.Request.Header {
		if strings.Contains(v, c.value) {
			return true
		}
	}
	return false
}

// carriedBy finds what the target gave away in the entries up to the last and was sent back later. What a request had in it
// before any reply did is none of it.
func carriedBy(t *wire.Transcript, last int) []*carried {
	sent, ends := sentIn(t, last)
	var out []*carried
	tried := map[string]bool{} // a value that is not sent after one reply is not sent after a later one
	taken := map[string]int{}
	for n := 1; n <= last; n++ {
		e := t.Entry(n)
		if e.Request == nil || e.Response == nil || e.Kind == "inbound" || len(e.Response.Body) > mostParsed || len(tried) >= mostCarried {
			continue
		}
		var document any
		if json.Unmarshal([]byte(e.Response.Body), &document) != nil {
			continue
		}
		for _, c := range stringsOf(document) {
			if tried[c.value] || len(tried) >= mostCarried {
				continue
			}
			tried[c.value] = true
			if !strings.Contains(sent[ends[n]:], c.value) || strings.Contains(sent[:ends[n]], c.value) {
				continue
			}
			c.from, c.name = n, variable(c.pointer)
			if taken[c.name]++; taken[c.name] > 1 {
				c.name += "_" + strconv.Itoa(taken[c.name])
			}
			out = append(out, c)
		}
	}
	// The longest first: one value may be the beginning of another.
	sort.SliceStable(out, func(i, j int) bool { return len(out[i].value) > len(out[j].value) })
	return out
}

// mostSent is how much of what was sent is searched, in bytes.
const mostSent = 256 << 10

// sentIn is what the requests up to the last have in them, one after another, and where that of each entry ends. A body that is
// too long for a script is left out.
func sentIn(t *wire.Transcript, last int) (sent string, ends []int) {
	var b strings.Builder
	ends = []int{0} // entries are counted from 1
	for n := 1; n <= last; n++ {
		if e := t.Entry(n); e.Request != nil && e.Kind != "inbound" && b.Len() < mostSent {
			b.WriteString(e.Request.URL + "\n")
			if len(e.Request.Body) <= mostStepBody {
				b.WriteString(e.Request.Body + "\n")
			}
			for _, name := range headers(e.Request.Header) {
				b.WriteString(e.Request.Header[name] + "\n")
			}
		}
		ends = append(ends, b.Len())
	}
	return b.String(), ends
}

// stringsOf are the strings of a document that may be ids, in the order of their pointers.
func stringsOf(document any) []*carried {
	var out []*carried
	var walk func(v any, pointer string)
	walk = func(v any, pointer string) {
		switch v := v.(type) {
		case map[string]any:
			keys := make([]string, 0, len(v))
			for k := range v {
				keys = append(keys, k)
			}
			slices.Sort(keys)
			for _, k := range keys {
				walk(v[k], pointer+"/"+jsonpointer.Escape(k))
			}
		case []any:
			for i, item := range v {
				walk(item, pointer+"/"+strconv.Itoa(i))
			}
		case string:
			if len(v) >= leastCarried && len(v) <= mostCarriedLen && idLike(v) && len(out) < mostCarried {
				out = append(out, &carried{value: v, pointer: pointer})
			}
		}
	}
	walk(document, "")
	return out
}

// idLike says whether a string may be an id: no spaces, and a digit or a placeholder in it.
func idLike(s string) bool {
	return strings.ContainsAny(s, "0123456789") &&
		!strings.ContainsFunc(s, func(r rune) bool { return r <= ' ' || r > '~' || strings.ContainsRune(`/"\\`, r) })
}

// variable is the name that the member at a pointer gives: /runId is RUN_ID.
func variable(pointer string) string {
	tokens := strings.Split(pointer, "/")
	name := tokens[len(tokens)-1]
	if _, err := strconv.Atoi(name); err == nil && len(tokens) > 1 {
		name = tokens[len(tokens)-2]
	}
	var b strings.Builder
	for i, r := range name {
		if unicode.IsUpper(r) && i > 0 {
			b.WriteByte('_')
		}
		if r < 0x80 && (unicode.IsLetter(r) || unicode.IsDigit(r)) {
			b.WriteRune(unicode.ToUpper(r))
		} else {
			b.WriteByte('_')
		}
	}
	word := strings.Trim(b.String(), "_")
	if len(word) > mostVariable {
		word = word[:mostVariable]
	}
	// A prefix keeps it from being a variable that the shell or curl knows, such as PATH.
	known := slices.Contains([]string{"UID", "EUID", "PPID"}, word)
	if known || !strings.HasSuffix(word, "ID") && !strings.HasSuffix(word, "TOKEN") || word[0] <= '9' {
		word = "THE_" + word
	}
	return word
}

const mostVariable = 40

// path is a JSON pointer as a filter of jq.
func path(pointer string) string {
	if pointer == "" {
		return "."
	}
	var b strings.Builder
	for i, token := range strings.Split(strings.TrimPrefix(pointer, "/"), "/") {
		token = jsonpointer.Unescape(token)
		switch {
		case number.MatchString(token) && i > 0:
			b.WriteString("[" + token + "]")
		case number.MatchString(token):
			b.WriteString(".[" + token + "]")
		case plainKey.MatchString(token):
			b.WriteString("." + token)
		case i > 0:
			b.WriteString("[" + asciiJSON(token) + "]")
		default:
			b.WriteString(".[" + asciiJSON(token) + "]")
		}
	}
	return b.String()
}

var (
	number   = lazyregexp.New(`^(0|[1-9][0-9]{0,8})$`)
	plainKey = lazyregexp.New(`^[A-Za-z_][A-Za-z0-9_]*$`)
)

// gathering is the filter of jq for the same member of all elements of an array, or of those that are events of a type.
func gathering(pointer, kind string) string {
	at := index.FindStringIndex(pointer)
	list, rest := pointer[:at[0]], strings.TrimLeft(pointer[at[0]+1:], "0123456789")
	list, rest = strings.TrimSuffix(path(list), ".")+"[]", strings.TrimSuffix(path(rest), ".")
	if kind != "" {
		return "[" + list + " | select(.type == " + asciiJSON(kind) + ")" + rest + " | values]"
	}
	return "[" + list + rest + " | values]"
}

// asciiJSON is a string as JSON in which nothing hides.
func asciiJSON(s string) string { return string(textsafe.JSON([]byte(encode(s)))) }

// asJSON is a body in which nothing hides, where it is JSON; else the body.
func asJSON(body string) string {
	if json.Valid([]byte(body)) {
		return strings.TrimRight(string(textsafe.JSON([]byte(body))), "\n")
	}
	return body
}

// unprintable says whether a text has something in it that cannot stand in a script as it is.
func unprintable(s string) bool {
	s = strings.NewReplacer("\n", "", "\t", "").Replace(s)
	return textsafe.Line(s) != s
}

// comment is text for the rest of a line that begins with #.
func comment(s string) string { return textsafe.Clip(s, mostWords) }

// bare is the default value in ${NAME:-default}, which ends at a brace.
func bare(address string) string {
	if strings.ContainsFunc(address, func(r rune) bool { return r > '~' || r <= ' ' || strings.ContainsRune("`$\"'\\{}();&|<>*?[]#~", r) }) {
		return "http://localhost"
	}
	return address
}

// secret is a placeholder that stands for one in a transcript.
var secret = lazyregexp.New(`<secret( of [a-z0-9 ]+|:\d+)?>`)

// word quotes what is sent in step n. Values that replies gave become variables, as do secrets.
func (w *writer) word(s string, n int) string {
	var b strings.Builder
	open := func(text string) {
		if text != "" {
			b.WriteString(textsafe.Shell(text))
		}
	}
	for s != "" {
		at, end, name := len(s), len(s), ""
		for _, v := range w.vars {
			if i := strings.Index(s, v.value); i >= 0 && i < at && v.from < n && slices.Contains(w.steps, v.from) {
				at, end, name = i, i+len(v.value), v.name
			}
		}
		if m := secret.FindStringIndex(s); m != nil && m[0] < at {
			at, end, name = m[0], m[1], w.secret(s[m[0]:m[1]])
		}
		open(s[:at])
		if name != "" {
			b.WriteString(`"$` + name + `"`)
		}
		s = s[end:]
	}
	if b.Len() == 0 {
		return "''"
	}
	return b.String()
}

// secret is the variable for a placeholder.
func (w *writer) secret(placeholder string) string {
	words := strings.Trim(placeholder, "<>")
	if words == "secret" {
		w.keyed = true
		return "ASSAY_KEY"
	}
	name := strings.ToUpper(strings.NewReplacer(" ", "_", ":", "_").Replace(words))
	name = strings.Replace(name, "SECRET_OF_", "KEY_OF_", 1)
	w.needed[name] = "the " + strings.NewReplacer("secret of", "key of", "secret:", "secret that the transcript calls number ").Replace(words)
	return name
}

// url is a URL as a word, from the base address where it is below it.
func (w *writer) url(sent string, n int) string {
	if rest, below := strings.CutPrefix(sent, w.address); below {
		if rest == "" {
			return `"$BASE"`
		}
		return `"$BASE"` + w.word(textsafe.Line(rest), n)
	}
	return w.word(textsafe.Line(sent), n)
}

// headers are those that a request is made again with.
func headers(all map[string]string) []string {
	var out []string
	for name := range all {
		switch name {
		case "Content-Length", "User-Agent", "Accept-Encoding", "Connection":
		default:
			out = append(out, name)
		}
	}
	slices.Sort(out)
	return out
}

// header is one as a word. The transcript has a placeholder for the credential, and for whatever the operator gave.
func (w *writer) header(name, value string, n int) string {
	lead := textsafe.Line(name) + ": "
	keyHeader := w.keyHeader
	if keyHeader == "" {
		keyHeader = "Authorization"
		if strings.EqualFold(name, keyHeader) && strings.HasPrefix(value, "<secret") {
			lead += "Bearer "
		}
	}
	if strings.HasPrefix(value, "<secret>") && !strings.EqualFold(name, keyHeader) {
		own := "HEADER_" + strings.Map(func(r rune) rune {
			if r < 0x80 && (unicode.IsLetter(r) || unicode.IsDigit(r)) {
				return unicode.ToUpper(r)
			}
			return '_'
		}, name)
		w.needed[own] = "the value of that header, given with --header"
		return textsafe.Shell(lead) + `"$` + own + `"`
	}
	return w.word(lead+textsafe.Line(value), n)
}
