package gateway

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"strconv"
	"time"
)

// newSalt is what the ids of events from outside derive from: random, or the same for the same seed.
func newSalt(seed uint64) string {
	if seed != 0 {
		return strconv.FormatUint(seed, 10)
	}
	return rand.Text()
}

// derived is a UUID that the same parts give again. So the ids of children follow from their parents, and a gateway that
// was started again never makes one that is there already.
func derived(parts ...string) string {
	sum := digest(parts)
	id := sum[:16]
	id[6] = id[6]&0x0f | 0x80 // version 8: of the maker's own kind
	id[8] = id[8]&0x3f | 0x80
	h := hex.EncodeToString(id)
	return fmt.Sprintf("%s-%s-%s-%s-%s", h[:8], h[8:12], h[12:16], h[16:20], h[20:])
}

func digest(parts []string) [sha256.Size]byte {
	var said []byte
	for _, p := range parts {
		said = append(strconv.AppendInt(said, int64(len(p)), 10), ':')
		said = append(said, p...)
	}
	return sha256.Sum256(said)
}

// The first retry comes after retryBase; each further one after twice as long.
const retryBase = 30 * time.Second

// backoff is how long a job waits after this attempt, from 1. Up to a tenth is added, so that jobs that failed together do
// not come back together; how much follows from the job.
func backoff(job string, attempt int) time.Duration {
	wait := retryBase << min(attempt-1, 16)
	sum := digest([]string{job, strconv.Itoa(attempt)})
	return wait + time.Duration(binary.BigEndian.Uint64(sum[:8])%uint64(wait/10)) //nolint:gosec // a wait is above 0
}
