package workflow

import (
	"encoding/json"
	"slices"

	"github.com/openassay/assay/gen/openwopv1"
)

// misfit notes what is wrong with a setting, unless something is noted already.
func (s *settings) misfit(key, format string, args ...any) {
	if s.wrong == nil {
		s.wrong = misfits(key, format, args...)
	}
}

// text is a setting that is text and not empty, otherwise where it is not set.
func (s *settings) text(key, otherwise string) string {
	value, set := s.values[key]
	if !set {
		return otherwise
	}
	text, _ := value.(string)
	if text == "" {
		s.misfit(key, "must be text that is not empty")
	}
	return text
}

// texts is a setting that is a list of text.
func (s *settings) texts(key string) []string {
	value, set := s.values[key]
	if !set {
		return nil
	}
	list, ok := value.([]any)
	texts := make([]string, len(list))
	for i, value := range list {
		if texts[i], _ = value.(string); texts[i] == "" {
			ok = false
		}
	}
	if !ok {
		s.misfit(key, "must be an array of text that is not empty")
	}
	return texts
}

// number is a setting that is a number within bounds, and whether it is set.
func (s *settings) number(key string, low, high float64) (n float64, set bool) {
	value, set := s.values[key]
	if !set {
		return 0, false
	}
	n, ok := Number(value)
	if !ok || !(n >= low && n <= high) {
		s.misfit(key, "must be a number from %.0f to %.0f", low, high)
		return 0, false
	}
	return n, true
}

// actions are what an approval can be answered with.
func (s *settings) actions() []openwopv1.ApprovalAction {
	if _, set := s.values[keyActions]; !set {
		return []openwopv1.ApprovalAction{openwopv1.ApprovalActionAccept, openwopv1.ApprovalActionReject}
	}
	var actions []openwopv1.ApprovalAction
	for _, text := range s.texts(keyActions) {
		action := openwopv1.ApprovalAction(text)
		if !action.Valid() || slices.Contains(actions, action) {
			s.misfit(keyActions, "%.40q is no action of an approval, or stands there twice", text)
		}
		actions = append(actions, action)
	}
	if len(actions) == 0 {
		s.misfit(keyActions, "must have an action")
	}
	return actions
}

// encode is what a value that came as JSON is as JSON.
func (s *settings) encode(key string, value any) json.RawMessage {
	raw, err := json.Marshal(value)
	if err != nil {
		s.misfit(key, "%v", err)
	}
	return raw
}

// Number takes what encoding/json makes of a number, and an int from a caller in Go.
func Number(value any) (float64, bool) {
	switch n := value.(type) {
	case float64:
		return n, true
	case int:
		return float64(n), true
	}
	return 0, false
}
