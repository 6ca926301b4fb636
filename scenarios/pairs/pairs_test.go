package pairs_test

import (
	"fmt"
	"math/bits"
	"math/rand/v2"
	"testing"

	"pgregory.net/rapid"

	"github.com/openassay/assay/scenarios/pairs"
)

// classes returns 0 to below n.
func classes(n int) []int {
	out := make([]int, n)
	for i := range out {
		out[i] = i
	}
	return out
}

// Every pair is covered, and not in many more rows than the two largest parameters alone take.
func TestEveryPairIsCovered(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		sizes := rapid.SliceOfN(rapid.IntRange(1, 7), 2, 9).Draw(t, "sizes")
		random := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 1))
		largest, second := 0, 0
		for _, n := range sizes {
			if n > largest {
				largest, second = n, largest
			} else {
				second = max(second, n)
			}
		}
		bound := largest * second * (1 + bits.Len(uint(len(sizes))))
		var c pairs.Cover
		met := map[string]bool{}
		rows := 0
		for ; rows == 0 || c.Left() > 0; rows++ {
			if rows > bound {
				t.Fatalf("%v: %d rows, and %d pairs are left", sizes, rows, c.Left())
			}
			c.Next()
			row := make([]int, len(sizes))
			for i, n := range sizes {
				name := fmt.Sprint("p", i)
				from := c.Best(name, classes(n))
				if from == nil {
					from = classes(n)
				}
				row[i] = from[random.IntN(len(from))]
				c.Take(name, row[i])
			}
			for i := range row {
				for j := range i {
					met[fmt.Sprint(j, row[j], i, row[i])] = true
				}
			}
		}
		for i, n := range sizes {
			for j, m := range sizes[:i] {
				for x := range n {
					for y := range m {
						if !met[fmt.Sprint(j, y, i, x)] {
							t.Fatalf("%v: parameter %d was never %d while %d was %d", sizes, i, x, j, y)
						}
					}
				}
			}
		}
	})
}

// Only wanted pairs count: two parameters that are not a pair make no more rows.
func TestOnlyWantedPairsCount(t *testing.T) {
	c := pairs.Cover{Wanted: [][2]string{{"b", "a"}}}
	rows := 0
	for ; rows == 0 || c.Left() > 0; rows++ {
		if rows > 12 {
			t.Fatalf("%d pairs are left after %d rows", c.Left(), rows)
		}
		c.Next()
		for _, name := range []string{"a", "b", "apart"} {
			best := c.Best(name, classes(3))
			if name == "apart" && best != nil {
				t.Fatalf("%v is best of what is in no pair", best)
			}
			c.Take(name, append(best, 0)[0])
		}
	}
	if rows != 9 {
		t.Errorf("%d rows for nine pairs", rows)
	}
}

// What a row may have can depend on what it has: a class that is not offered is not chosen, and what is taken without being
// offered counts.
func TestARowMayTakeAnything(t *testing.T) {
	var c pairs.Cover
	c.Next()
	c.Take("a", 1)
	c.Take("a", 2)
	if best := c.Best("b", []int{7}); len(best) != 1 || best[0] != 7 {
		t.Errorf("best %v", best)
	}
	c.Take("b", 7)
	if c.Left() != 0 {
		t.Errorf("%d left", c.Left())
	}
	if best := c.Best("b", []int{7}); best != nil {
		t.Errorf("best %v of what has met all", best)
	}
	if best := c.Best("b", []int{7, 8}); len(best) != 1 || best[0] != 8 {
		t.Errorf("best %v", best)
	}
}
