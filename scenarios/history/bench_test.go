package history_test

import (
	"math/rand/v2"
	"testing"
)

// linear is a history of clients that all write and read at once: each step takes effect at some moment between its ends.
func linear(r *rand.Rand, clients, n int) (steps []step) {
	kept, now := 0, 0
	free := make([]int, clients)
	for len(steps) < n {
		now += 2
		client := r.IntN(clients)
		if free[client] >= now {
			continue
		}
		s := read(kept)
		if r.IntN(2) == 0 {
			kept = 1 + r.IntN(1000)
			s = write(kept)
		}
		began := max(free[client]+1, now-r.IntN(2*clients))
		free[client] = now + r.IntN(2*clients)
		steps = append(steps, at(client, began, free[client], s))
	}
	return steps
}

// Ten thousand steps of eight clients on one object, and the same with a read of what was never there.
func BenchmarkExplain(b *testing.B) {
	r := rand.New(rand.NewPCG(1, 2)) //nolint:gosec // a test
	right := linear(r, 8, 10_000)
	wrong := append(append([]step{}, right[:5000]...), right[5000:]...)
	wrong[5000].In, wrong[5000].Out = in{}, out{-2}
	for name, steps := range map[string][]step{"explained": right, "not explained": wrong} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if v := cell.Explain([]int{0}, steps, 10_000_000); v.GaveUp || v.Ok() != (name == "explained") {
					b.Fatalf("gave up %t, step %d is wrong", v.GaveUp, v.Wrong)
				}
			}
		})
	}
}
