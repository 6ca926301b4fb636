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

// carried is a string from a reply that a later request sends.
type carried struct {
	name    string // shell variable
	value   string // value in the transcript; for a secret, its placeholder
	from    int    // first entry whose reply has it
	pointer string
}

// in reports whether a request contains the value.
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

// carriedValues finds the values in replies, up to the last entry, that later requests sent back. It ignores values
// that a request sent before any reply had them.
func carriedValues(t *wire.Transcript, last int) []*carried {
	sent, ends := requestText(t, last)
	var out []*carried
	tried := map[string]bool{} // values not sent after their first reply need no second look
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
	// The longest first: one value may be a prefix of another.
	sort.SliceStable(out, func(i, j int) bool { return len(out[i].value) > len(out[j].value) })
	return out
}

// mostSent bounds the searched bytes of all requests.
const mostSent = 256 << 10

// requestText returns the concatenated content of the requests up to the last, and the end offset of each entry. It
// leaves out bodies that are too long for a script.
func requestText(t *wire.Transcript, last int) (sent string, ends []int) {
	var b strings.Builder
	ends = []int{0} // entries count from 1
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

// stringsOf returns the strings of a document that may be ids, in pointer order.
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

// idLike reports whether a string may be an id: it has a digit, and only printable ASCII without spaces, quotes,
// slashes or backslashes.
func idLike(s string) bool {
	return strings.ContainsAny(s, "0123456789") &&
		!strings.ContainsFunc(s, func(r rune) bool { return r <= ' ' || r > '~' || strings.ContainsRune(`/"\\`, r) })
}

// variable returns a shell variable name for the member at a pointer: /runId becomes RUN_ID.
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
	// A prefix avoids clashes with variables of the shell or curl, such as PATH.
	known := slices.Contains([]string{"UID", "EUID", "PPID"}, word)
	if known || !strings.HasSuffix(word, "ID") && !strings.HasSuffix(word, "TOKEN") || word[0] <= '9' {
		word = "THE_" + word
	}
	return word
}

const mostVariable = 40

// path returns a JSON pointer as a jq filter.
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

// gatherFilter returns a jq filter for the same member of all elements of an array, or of the events of one type.
func gatherFilter(pointer, kind string) string {
	at := index.FindStringIndex(pointer)
	list, rest := pointer[:at[0]], strings.TrimLeft(pointer[at[0]+1:], "0123456789")
	list, rest = strings.TrimSuffix(path(list), ".")+"[]", strings.TrimSuffix(path(rest), ".")
	if kind != "" {
		return "[" + list + " | select(.type == " + asciiJSON(kind) + ")" + rest + " | values]"
	}
	return "[" + list + rest + " | values]"
}

// asciiJSON returns a string as JSON without invisible characters.
func asciiJSON(s string) string { return string(textsafe.JSON([]byte(encode(s)))) }

// asJSON returns a JSON body without invisible characters, and any other body unchanged.
func asJSON(body string) string {
	if json.Valid([]byte(body)) {
		return strings.TrimRight(string(textsafe.JSON([]byte(body))), "\n")
	}
	return body
}

// unprintable reports whether a script cannot hold a text unchanged.
func unprintable(s string) bool {
	s = strings.NewReplacer("\n", "", "\t", "").Replace(s)
	return textsafe.Line(s) != s
}

// comment returns text for the rest of a line that begins with #.
func comment(s string) string { return textsafe.Clip(s, mostWords) }

// safeDefault returns address if ${NAME:-default} can hold it safely, and a local one otherwise.
func safeDefault(address string) string {
	if strings.ContainsFunc(address, func(r rune) bool { return r > '~' || r <= ' ' || strings.ContainsRune("`$\"'\\{}();&|<>*?[]#~", r) }) {
		return "http://localhost"
	}
	return address
}

// secret matches the placeholder of a secret in a transcript.
var secret = lazyregexp.New(`<secret( of [a-z0-9 ]+|:\d+)?>`)

// word quotes a text that step n sends. Values from replies become variables, as do secrets.
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

// secret returns the variable for a placeholder.
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

// url returns a URL as a shell word, relative to the base address if it is below it.
func (w *writer) url(sent string, n int) string {
	if rest, below := strings.CutPrefix(sent, w.address); below {
		if rest == "" {
			return `"$BASE"`
		}
		return `"$BASE"` + w.word(textsafe.Line(rest), n)
	}
	return w.word(textsafe.Line(sent), n)
}

// headers returns the names of the headers to repeat.
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

// header returns a header as a shell word. The transcript holds placeholders for the credential and for the operator's
// headers.
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
