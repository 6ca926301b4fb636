package clock

import (
	"cmp"
	"container/heap"
	"slices"
	"time"
)

// timers is a heap of callbacks by the time they are due, those of the same time in the order they were made.
type timers struct {
	byTime []*timer
	made   uint64
}

type timer struct {
	due   time.Time
	order uint64
	index int // in byTime, -1 when it is not there any more
	call  func()
	base  Timer // of the clock beneath; only in a Shifted
}

func (t *timers) add(due time.Time, call func()) *timer {
	t.made++
	added := &timer{due: due, order: t.made, call: call}
	heap.Push(t, added)
	return added
}

// remove reports whether the timer was still there.
func (t *timers) remove(gone *timer) bool {
	if gone.index < 0 {
		return false
	}
	heap.Remove(t, gone.index)
	return true
}

// next takes out the first timer that is due at or before now; nil if there is none.
func (t *timers) next(now time.Time) *timer {
	if len(t.byTime) == 0 || t.byTime[0].due.After(now) {
		return nil
	}
	return heap.Pop(t).(*timer)
}

// first is when the first of them is due; ok is false where there is none.
func (t *timers) first() (due time.Time, ok bool) {
	if len(t.byTime) == 0 {
		return due, false
	}
	return t.byTime[0].due, true
}

// inOrder is every timer, the first one due first.
func (t *timers) inOrder() []*timer {
	return slices.SortedFunc(slices.Values(t.byTime), (*timer).compare)
}

func (t *timer) compare(other *timer) int {
	return cmp.Or(t.due.Compare(other.due), cmp.Compare(t.order, other.order))
}

// Len, Less, Swap, Push and Pop are heap.Interface.

func (t *timers) Len() int { return len(t.byTime) }

func (t *timers) Less(i, j int) bool { return t.byTime[i].compare(t.byTime[j]) < 0 }

func (t *timers) Swap(i, j int) {
	t.byTime[i], t.byTime[j] = t.byTime[j], t.byTime[i]
	t.byTime[i].index, t.byTime[j].index = i, j
}

func (t *timers) Push(x any) {
	added := x.(*timer)
	added.index = len(t.byTime)
	t.byTime = append(t.byTime, added)
}

func (t *timers) Pop() any {
	end := len(t.byTime) - 1
	gone := t.byTime[end]
	t.byTime[end] = nil
	t.byTime = t.byTime[:end]
	gone.index = -1
	return gone
}
