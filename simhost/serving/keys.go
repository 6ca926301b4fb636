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
