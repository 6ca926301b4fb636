package run

import (
	crand "crypto/rand"
	"crypto/sha256"
	"encoding/base32"
	"encoding/binary"
	"math/rand/v2"
	"strconv"
	"sync"

	"github.com/openassay/assay/internal/lazyregexp"
)

// IDs makes the ids of runs that are created from outside. Every other id derives from those: an event's from its run and
// its place in the log, a child's from the event that announces it, an interrupt's from the event that suspends.
type IDs interface {
	// Run returns 128 bits that no other call returned.
	Run() [16]byte
}

// RandomIDs are ids that nobody can guess.
func RandomIDs() IDs { return randomIDs{} }

type randomIDs struct{}

func (randomIDs) Run() (id [16]byte) {
	_, _ = crand.Read(id[:]) // never fails: the process ends first
	return id
}

// SeededIDs are the same ids in the same order for the same seed.
func SeededIDs(seed uint64) IDs {
	var key [32]byte
	binary.LittleEndian.PutUint64(key[:], seed)
	return &seededIDs{source: rand.NewChaCha8(key)}
}

type seededIDs struct {
	mu     sync.Mutex
	source *rand.ChaCha8
}

func (s *seededIDs) Run() (id [16]byte) {
	s.mu.Lock()
	defer s.mu.Unlock()
	_, _ = s.source.Read(id[:]) // never fails
	return id
}

var (
	letters    = base32.NewEncoding("abcdefghijkmnpqrstuvwxyz23456789").WithPadding(base32.NoPadding)
	runPattern = lazyregexp.New(`^(run-[a-z2-9]{26}|(run-)?[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12})$`)
)

// ID is the id of the run that Create makes with this one chosen for it.
func (e *Engine) ID(chosen [16]byte) string {
	shape := Letters
	if n := len(e.o.Shapes); n > 0 {
		shape = e.o.Shapes[int(chosen[0])%n]
	}
	return shape.run(chosen)
}

// newRunID is the id of a run that is created from outside: of the caller's choice, or a new one.
func (e *Engine) newRunID(chosen [16]byte) string {
	if chosen == ([16]byte{}) {
		chosen = e.o.IDs.Run()
	}
	return e.ID(chosen)
}

// isRunID keeps what callers send as a run id from naming another log of the store.
func isRunID(id string) bool { return runPattern.MatchString(id) }

// childRunID is the id of the child that is announced at this place of its parent's log.
func childRunID(announcement string) string {
	sum := sha256.Sum256([]byte("child\x00" + announcement))
	return shapeOf(announcement).run([16]byte(sum[:16]))
}

func eventID(runID string, sequence int64) string {
	return shapeOf(runID).event(runID) + "-" + strconv.FormatInt(sequence, 10)
}

func interruptID(suspension string) string { return "int-" + suspension }

// definitionLog names the log that holds the workflow definition with this digest.
func definitionLog(digest string) string { return "workflow-" + digest }
