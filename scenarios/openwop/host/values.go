package host

import (
	"strings"
	"unicode"
)

// Values returns an object with a value of every JSON type under names of every sort, for what must be given back exactly. What looks
// empty is a value all the same. The marker is in some of them.
func Values(marker string) map[string]any {
	return map[string]any{
		"no": false, "yes": true, "zero": 0, "less": -0.5, "large": 1<<53 - 1, "small": 1e-7,
		"empty": "", "none": nil, "list": []any{}, "object": map[string]any{},
		"zeroText": "0", "noText": "false", "nullText": "null", "spaced": " " + marker + "\t\n",
		"long": marker + strings.Repeat("x", 300), "template": "${" + marker + "} {{" + marker + "}}",
		"Zoë 名前 🙂": "Zoe\u0308 " + marker, "a.b/c~d": []any{nil, false, 0, "", []any{}, map[string]any{"none": nil, "in": []any{marker}}},
	}
}

// LookAlikes returns texts that a careless comparison takes for the word, and that are others: of another case, longer, shorter,
// and with a letter of another script.
func LookAlikes(word string) []string {
	first := []rune(word)[0]
	other := string(unicode.ToUpper(first))
	if unicode.IsUpper(first) {
		other = string(unicode.ToLower(first))
	}
	out := []string{other + word[len(string(first)):], strings.ToUpper(word), word + "x", word[:len(word)-1], word + "\u200b"}
	for _, twin := range [][2]string{{"a", "а"}, {"e", "е"}, {"o", "о"}, {"c", "с"}, {"i", "і"}} { // Latin, Cyrillic
		if strings.Contains(word, twin[0]) {
			out = append(out, strings.Replace(word, twin[0], twin[1], 1))
			break
		}
	}
	return out
}

// SwapCase returns the text with small letters for large ones and the other way round.
func SwapCase(text string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsUpper(r) {
			return unicode.ToLower(r)
		}
		return unicode.ToUpper(r)
	}, text)
}
