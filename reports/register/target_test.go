package register_test

import (
	"testing"

	"github.com/openassay/assay/reports/register"
)

// One host has many names, and only what is another host, another port or another path is another target.
func TestSameTarget(t *testing.T) {
	for _, c := range []struct {
		a, b string
		same bool
	}{
		{"http://localhost:3000", "http://127.0.0.1:3000", true},
		{"http://localhost:3000", "http://[::1]:3000/", true},
		{"http://localhost:3000", "http://127.8.9.1:3000", true},
		{"http://a.localhost:3000", "http://LOCALHOST.:3000", true},
		{"http://localhost:3000", "http://localhost:3001", false},
		{"http://localhost:3000", "https://localhost:3000", false},
		{"https://host.example", "https://Host.Example:443/", true},
		{"https://host.example/a", "https://host.example/b", false},
		{"https://host.example", "https://other.example", false},
		{"http://[2001:db8::1]", "http://[2001:0db8:0::1]:80", true},
		{"simhost", "simhost", true},
		{"simhost", "./plugin", false},
	} {
		if got := register.SameTarget(c.a, c.b); got != c.same {
			t.Errorf("%s and %s: %v", c.a, c.b, got)
		}
	}
}
