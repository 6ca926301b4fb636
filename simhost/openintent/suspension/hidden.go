package suspension

import (
	"maps"
	"slices"
)

// hidden stands in place of a secret.
const hidden = "[hidden]"

// secrets are the names below which the context of a record holds secrets or personal data.
var secrets = []string{"password", "secret", "api_key", "access_token", "email", "phone", "ssn"}

// Hide returns a document as readers see it: of every context in it without what stands below the name of a secret. It leaves
// the document itself alone.
func Hide(document any) any { return hide(document, false) }

func hide(v any, inContext bool) any {
	switch v := v.(type) {
	case map[string]any:
		out := maps.Clone(v)
		for name, member := range v {
			if inContext && slices.Contains(secrets, name) {
				out[name] = hidden
				continue
			}
			out[name] = hide(member, inContext || name == "context")
		}
		return out
	case []any:
		out := slices.Clone(v)
		for i, e := range v {
			out[i] = hide(e, inContext)
		}
		return out
	}
	return v
}
