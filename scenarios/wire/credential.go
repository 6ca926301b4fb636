package wire

import (
	"encoding/base64"
	"slices"
	"strings"
	"unicode"
)

// Credential is what a call carries in place of the client's own credential. The wrong ones are made of the right one, so that each is
// what a careless comparison takes for it.
type Credential string

// What a call carries. The text stands in records in place of the value.
const (
	OwnCredential Credential = ""
	NoCredential  Credential = "no credential"
	Empty         Credential = "an empty credential"
	Malformed     Credential = "a credential of another form"
	Unknown       Credential = "a credential that was never given out"
	Longer        Credential = "the credential with more behind it"
	Shorter       Credential = "the credential without its end"
	Cased         Credential = "the credential in letters of the other case"
)

// Neighbour returns a text of the same form as another, which is most likely nobody's: each of the last six letters and digits is the
// next of its kind.
func Neighbour(text string) string {
	b := []byte(text)
	for i, left := len(b)-1, 6; i >= 0 && left > 0; i-- {
		for _, kind := range []string{"0123456789", "abcdefghijklmnopqrstuvwxyz", "ABCDEFGHIJKLMNOPQRSTUVWXYZ"} {
			if at := strings.IndexByte(kind, b[i]); at >= 0 {
				b[i] = kind[(at+1)%len(kind)]
				left--
				break
			}
		}
	}
	return string(b)
}

// cased returns a text with all its letters in the other case.
func cased(text string) string {
	return strings.Map(func(r rune) rune {
		if upper := unicode.ToUpper(r); upper != r {
			return upper
		}
		return unicode.ToLower(r)
	}, text)
}

// Of returns the wrong value that is made of a right one. known are values that are right as well: it is none of them.
func (k Credential) Of(right string, known ...string) string {
	wrong := right
	for ok := true; ok; ok = wrong == right || slices.Contains(known, wrong) {
		switch k {
		case NoCredential, Empty:
			return ""
		case Longer:
			wrong += "x"
		case Shorter:
			if len(wrong) == 0 {
				return "x" // there is nothing to cut
			}
			wrong = wrong[:len(wrong)-1]
		case Cased:
			wrong, k = cased(right), Unknown // where it has no letters
		default:
			wrong = Neighbour(wrong)
			if wrong == right || slices.Contains(known, wrong) {
				wrong += "x"
			}
		}
	}
	return wrong
}

// wrong returns the header that carries a wrong credential, and the value.
func (c *Client) wrong(k Credential) (name, value string) {
	t := c.network.target
	value = k.Of(c.key, append([]string{t.Key, t.OtherKey, t.LowScopeKey}, t.VoterKeys...)...)
	if t.KeyHeader != "" {
		if k == Malformed {
			value = "Bearer " + value
		}
		return t.KeyHeader, value
	}
	if k == Malformed {
		return "Authorization", "Basic " + base64.StdEncoding.EncodeToString([]byte(value+":"+value))
	}
	return "Authorization", "Bearer " + value
}
