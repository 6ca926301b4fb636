package serving

import "testing"

func TestKeys(t *testing.T) {
	var keys Keys[string]
	if who, known := keys.Whose(""); known {
		t.Errorf("no key is known, and the empty one is %q's", who)
	}
	keys.Add("one", "ada")
	keys.Add("two", "bob")
	for key, want := range map[string]string{"one": "ada", "two": "bob", "three": "", "": "", "on": ""} {
		if who, known := keys.Whose(key); who != want || known != (want != "") {
			t.Errorf("%q is the key of %q, known %v; want %q", key, who, known, want)
		}
	}
	for text, want := range map[string]bool{"one": true, "onex": true, "on": false, "xone": false, "": false} {
		if keys.Begins(text) != want {
			t.Errorf("%q begins with a key: %t, want %t", text, !want, want)
		}
	}
}
