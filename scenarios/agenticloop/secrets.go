package agenticloop

import (
	"encoding/json"
	"net/url"
	"strings"
	"unicode"

	"github.com/openassay/assay/gen/agenticloopv2"
	"github.com/openassay/assay/internal/lazyregexp"
	"github.com/openassay/assay/scenarios/agenticloop/host"
)

// secretsOf returns the credentials in a profile: values of settings whose names say so, and passwords in addresses.
// The target gets them, and no record shows them. The key of scripted_config names a setting, and we fill in what holds
// a ${place}: neither is a secret.
func secretsOf(p agenticloopv2.TargetProfile) []string {
	var found []string
	hide := func(value string) { found = append(found, value) }
	settings := []json.RawMessage{p.Config}
	if s := p.Seams; s != nil && s.ScriptedConfig != nil {
		settings = append(settings, s.ScriptedConfig.Config)
	}
	if s := p.Seams; s != nil && s.MockLlm != nil {
		settings = append(settings, s.MockLlm.Config)
		for name, value := range s.MockLlm.Environment {
			look(name, value, hide)
		}
	}
	for _, raw := range settings {
		var all any
		if host.Decode(raw, &all) == nil { // else reading the profile fails
			look("", all, hide)
		}
	}
	for _, value := range p.Environment {
		look("", value, hide) // starting the target looks at the names
	}
	return found
}

// look hides the secrets in a setting of this name.
func look(name string, v any, hide func(string)) {
	switch v := v.(type) {
	case host.Object:
		for key, member := range v {
			look(key, member, hide)
		}
	case []any:
		for _, element := range v {
			look(name, element, hide) // api_keys: [...]
		}
	case string:
		if u, err := url.Parse(v); err == nil && u.User != nil {
			if password, is := u.User.Password(); is {
				hide(password)
			}
		}
		if isSecret(name, v) {
			hide(v)
			hide(v[strings.LastIndexByte(v, ' ')+1:]) // behind a scheme
		}
	}
}

var (
	camel  = lazyregexp.New(`([a-z0-9])([A-Z])`)
	secret = lazyregexp.New(
		`(^|_)(password|passwd|passphrase|pwd|secret|(auth|access|api)?token|credential|authorization|bearer|cookie|` +
			`(api|access|secret|private|signing|encryption|license)_?key)s?$`)
	maybe = lazyregexp.New(`(^|_)(key|auth)s?$`)
)

// isSecret reports whether a setting holds a credential. A short word such as none, test or ollama is none: such words
// stand where a key is wanted but not needed, and also in what is judged.
func isSecret(name, value string) bool {
	if strings.Contains(value, "${") {
		return false
	}
	name = strings.ToLower(camel.ReplaceAllString(strings.ReplaceAll(name, "-", "_"), "${1}_${2}"))
	plain := strings.IndexFunc(value, func(r rune) bool { return !unicode.IsLetter(r) }) < 0
	switch {
	case secret.MatchString(name):
		return !plain || len(value) >= 12
	case maybe.MatchString(name): // such a name may mean something else
		return len(value) >= 12 && strings.ContainsAny(value, "0123456789")
	}
	return false
}
