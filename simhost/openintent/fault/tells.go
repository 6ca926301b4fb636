package fault

import (
	"maps"

	"github.com/openassay/assay/simhost/openintent/rules"
)

// telling has the log tell events of a type otherwise.
func telling(kind string, change func(rules.Told) []rules.Told) func(*rules.Set) {
	return func(s *rules.Set) {
		before := s.Log.Tells
		s.Log.Tells = func(e rules.Told) (out []rules.Told) {
			for _, told := range before(e) {
				if told.Type == kind {
					out = append(out, change(told)...)
				} else {
					out = append(out, told)
				}
			}
			return out
		}
	}
}

func twice(kind string) func(*rules.Set) {
	return telling(kind, func(e rules.Told) []rules.Told { return []rules.Told{e, e} })
}

func untold(kind string) func(*rules.Set) {
	return telling(kind, func(rules.Told) []rules.Told { return nil })
}

// worded changes the payload of events of a type.
func worded(kind string, change func(payload map[string]any)) func(*rules.Set) {
	return telling(kind, func(e rules.Told) []rules.Told {
		e.Payload = maps.Clone(e.Payload)
		change(e.Payload)
		return []rules.Told{e}
	})
}
