package ids

import "testing"

func TestSeeded(t *testing.T) {
	a, b := Seeded(7), Seeded(7)
	first := a.Next()
	if first != b.Next() || a.Next() != b.Next() {
		t.Error("the same seed made other ids")
	}
	if first == a.Next() || first == Seeded(8).Next() {
		t.Error("an id came twice")
	}
}

func TestRandom(t *testing.T) {
	if Random().Next() == Random().Next() {
		t.Error("an id came twice")
	}
}
