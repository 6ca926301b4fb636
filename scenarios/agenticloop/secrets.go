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

// secretsOf are the credentials in a profile: values of its settings whose names say so, and passwords in addresses. The
// target gets them, and no record shows them. A key of scripted_config is a setting's name, and what holds a ${place} is
// filled in by us: neither is a secret.
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
		if host.Decode(raw, &all) == nil { // or else the profile is refused where it is read
			look("", all, hide)
		}
	}
	for _, value := range p.Environment {
		look("", value, hide) // the names are looked at where the target is started
	}
	return found
}

// look finds secrets in a setting of this name.
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
	secret = lazyregexp.New(`(^|_)(password|passwd|passphrase|pwd|secret|(auth|access|api)?token|credential|authorization|bearer|cookie|(api|access|secret|private|signing|encryption|license)_?key)s?$`)
	maybe  = lazyregexp.New(`(^|_)(key|auth)s?$`)
)

// isSecret says whether a setting holds a credential. One word of few letters, such as none, test or ollama, is not taken
// for one: such stand where a key is wanted and not needed, and also in what is judged.
func isSecret(name, value string) bool {
	if strings.Contains(value, "${") {
		return false
	}
	name = strings.ToLower(camel.ReplaceAllString(strings.ReplaceAll(name, "-", "_"), "${1}_${2}"))
	plain := strings.IndexFunc(value, func(r rune) bool { return !unicode.IsLetter(r) }) < 0
	switch {
	case secret.MatchString(name):
		return !plain || len(value) >= 12
	case maybe.MatchString(name): // it may as well name a setting, or a way
		return len(value) >= 12 && strings.ContainsAny(value, "0123456789")
	}
	return false
}
