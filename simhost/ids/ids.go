// Package ids makes the ids of what clients create on a simulated host.
package ids

import (
	crand "crypto/rand"
	"encoding/binary"
	"math/rand/v2"
	"sync"
)

// Source makes ids. It may be used concurrently.
type Source interface {
	// Next returns 128 bits that no other call returned.
	Next() [16]byte
}

// Random returns a source of ids that nobody can guess.
func Random() Source { return random{} }

type random struct{}

func (random) Next() (id [16]byte) {
	_, _ = crand.Read(id[:]) // never fails: the process ends first
	return id
}

// Seeded returns a source that makes the same ids in the same order for the same seed.
func Seeded(seed uint64) Source {
	var key [32]byte
	binary.LittleEndian.PutUint64(key[:], seed)
	return &seeded{source: rand.NewChaCha8(key)}
}

type seeded struct {
	mu     sync.Mutex
	source *rand.ChaCha8
}

func (s *seeded) Next() (id [16]byte) {
	s.mu.Lock()
	defer s.mu.Unlock()
	_, _ = s.source.Read(id[:]) // never fails
	return id
}
