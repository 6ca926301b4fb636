package serving

import (
	"crypto/sha256"
	"crypto/subtle"
)

// Keys are the credentials that a host knows, and whose they are. The zero value knows none.
type Keys[T any] struct {
	digests [][sha256.Size]byte
	whose   []T
}

// Add makes a key known.
func (k *Keys[T]) Add(key string, whose T) {
	k.digests, k.whose = append(k.digests, sha256.Sum256([]byte(key))), append(k.whose, whose)
}

// Whose returns who has a key. Digests are compared, not keys, and all of them: the time tells nothing about a key.
func (k *Keys[T]) Whose(key string) (who T, known bool) {
	got := sha256.Sum256([]byte(key))
	for i, digest := range k.digests {
		if subtle.ConstantTimeCompare(got[:], digest[:]) == 1 {
			who, known = k.whose[i], true
		}
	}
	return who, known
}

// Begins tells whether a text begins with a key that is known. Who takes such a text for the key compares too little of it.
func (k *Keys[T]) Begins(text string) bool {
	for n := 1; n <= len(text); n++ {
		if _, known := k.Whose(text[:n]); known {
			return true
		}
	}
	return false
}
