package redact

import "testing"

func TestText(t *testing.T) {
	r := New([]string{"sk-1234567", "short12", "sk-1234567-long", "äöüßäöüß", "äöüßäöü", ""})
	for _, test := range []struct{ name, text, want string }{
		{"nothing to hide", "plain text", "plain text"},
		{"empty", "", ""},
		{"one", "key sk-1234567.", "key [REDACTED:1]."},
		{"every occurrence", "sk-1234567sk-1234567", "[REDACTED:1][REDACTED:1]"},
		{"the longer of two that begin alike", "sk-1234567-long sk-1234567-lon", "[REDACTED:3] [REDACTED:1]-lon"},
		{"too short to be looked for", "short12", "short12"},
		{"characters are counted, not bytes", "äöüßäöüß äöüßäöü", "[REDACTED:4] äöüßäöü"},
		{"a part of one", "sk-123456", "sk-123456"},
	} {
		if got := r.Text(test.text); got != test.want {
			t.Errorf("%s: %q became %q, want %q", test.name, test.text, got, test.want)
		}
	}
	if got := New(nil).Text("sk-1234567"); got != "sk-1234567" {
		t.Errorf("without secrets: %q", got)
	}
}
