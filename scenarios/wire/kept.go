package wire

import "sync/atomic"

// keptBytes counts what one drive's transcript holds.
type keptBytes struct{ n atomic.Int64 }

// add counts n more bytes; false when that is over the limit.
func (k *keptBytes) add(n, limit int64) bool { return k.n.Add(n) <= limit }
