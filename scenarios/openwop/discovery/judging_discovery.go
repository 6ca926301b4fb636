package discovery

import (
	"mime"
	"slices"
	"strings"

	"github.com/openassay/assay/internal/validate"
	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/check"
	"github.com/openassay/assay/scenarios/openwop/dialect"
	"github.com/openassay/assay/scenarios/wire"
)

// checkSchema checks a family against a component of the contract, except the
// members in elsewhere, which have scenarios of their own. Unknown members of
// closed objects are left out: the document's findings already report them.
func checkSchema(j *scenarios.Judge, id scenarios.RequirementID, family wire.Value, component string, elsewhere ...string) {
	schema, err := dialect.Of(family).Schema(component)
	if err != nil {
		panic("our own contract has no " + component + ": " + err.Error())
	}
	problems := slices.DeleteFunc(schema.ValidateValue(family.Actual()), func(p validate.Problem) bool {
		return strings.HasSuffix(p.Keyword, "/additionalProperties") || slices.ContainsFunc(elsewhere, func(pointer string) bool {
			return p.Instance == pointer || strings.HasPrefix(p.Instance, pointer+"/")
		})
	})
	at, want := family, "as the schema "+component+" has it"
	if len(problems) > 0 {
		at, want = family.At(problems[0].Instance), want+": "+problems[0].Message
	}
	j.Check(id, at).To(check.That(want, func(any) bool { return len(problems) == 0 }))
}

// notNegative matches a number of at least 0, whole or not.
func notNegative() check.Matcher {
	return check.That("a number of at least 0", func(v any) bool {
		whole, isWhole := v.(int64)
		broken, isBroken := v.(float64)
		return isWhole && whole >= 0 || isBroken && broken >= 0
	})
}

// jsonType matches a JSON media type with any parameters.
func jsonType() check.Matcher {
	return check.That("application/json", func(v any) bool {
		s, _ := v.(string)
		kind, _, err := mime.ParseMediaType(s)
		return err == nil && (kind == "application/json" || strings.HasSuffix(kind, "+json"))
	})
}

// texts matches a list, possibly empty, of non-empty strings.
func texts() check.Matcher {
	return check.That("a list of non-empty strings", func(v any) bool {
		list, ok := v.([]any)
		return ok && !slices.ContainsFunc(list, func(e any) bool { s, isText := e.(string); return !isText || s == "" })
	})
}

// distinctTexts matches such a list without duplicates.
func distinctTexts() check.Matcher {
	return check.That("a list of non-empty strings, none twice", func(v any) bool {
		list, ok := v.([]any)
		seen := map[string]bool{}
		for _, e := range list {
			s, isText := e.(string)
			if !isText || s == "" || seen[s] {
				return false
			}
			seen[s] = true
		}
		return ok
	})
}

// counts matches an object of integers of at least 0.
func counts() check.Matcher {
	return check.That("an object of integers of at least 0", func(v any) bool {
		object, ok := v.(map[string]any)
		for _, e := range object {
			if n, isInteger := e.(int64); !isInteger || n < 0 {
				return false
			}
		}
		return ok
	})
}

// hasText matches a list that contains this string.
func hasText(text string) check.Matcher {
	return check.That("a list with "+wire.Compact(text), func(v any) bool {
		list, _ := v.([]any)
		return slices.Contains(list, any(text))
	})
}
