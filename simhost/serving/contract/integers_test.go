package contract

import "testing"

func TestPlainInteger(t *testing.T) {
	for text, want := range map[string]string{
		"7": "7", "-1": "-1", "1.0": "1", "2e3": "2000", "2.5E1": "25", "-0.0": "0", "9007199254740992.0": "9007199254740992",
		"9007199254740994.0": "9007199254740994.0", "1e30": "1e30", "1.5": "1.5", "1e-3": "1e-3", "e": "e", "": "", "1e999": "1e999",
		"9223372036854775807": "9223372036854775807",
	} {
		if got := plainInteger(text); got != want {
			t.Errorf("%q is spelled %q, want %q", text, got, want)
		}
	}
}
