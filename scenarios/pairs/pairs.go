// Package pairs chooses values of parameters row by row so that soon each value of one has come together with each value of
// every other: a covering array of strength two, made while it is used. What a row can have may depend on what it already
// has, so no array is made beforehand.
package pairs

import "slices"

// Cover knows which pairs have come together. The zero value knows of none.
type Cover struct {
	// Wanted are the pairs of parameters that count, by name; nil counts all.
	Wanted [][2]string

	names   []string         // in the order in which they came
	classes map[string][]int // all that a parameter was offered
	row     map[string][]int // what the current row has
	met     map[pair]bool
}

// pair is two values of two parameters, in the order of their names.
type pair struct {
	a, b string
	x, y int
}

func of(a string, x int, b string, y int) pair {
	if a > b {
		a, b, x, y = b, a, y, x
	}
	return pair{a, b, x, y}
}

// Next begins a row.
func (c *Cover) Next() { c.row = map[string][]int{} }

// Best returns those of the classes of a parameter that bring the most new pairs into the row; if none brings one, those
// that are yet to meet the most. nil if it makes no difference.
func (c *Cover) Best(name string, classes []int) []int {
	c.offer(name, classes)
	if best := most(classes, func(x int) int { return c.gain(name, x, c.row) }); best != nil {
		return best
	}
	return most(classes, func(x int) int { return c.gain(name, x, c.classes) })
}

// Take notes what the row has. A parameter may be taken several times in one.
func (c *Cover) Take(name string, class int) {
	c.offer(name, []int{class})
	if c.row == nil {
		c.Next()
	}
	if c.met == nil {
		c.met = map[pair]bool{}
	}
	for other, has := range c.row {
		if c.counts(name, other) {
			for _, y := range has {
				c.met[of(name, class, other, y)] = true
			}
		}
	}
	if !slices.Contains(c.row[name], class) {
		c.row[name] = append(c.row[name], class)
	}
}

// Left returns how many pairs of what was offered have not met.
func (c *Cover) Left() int {
	n := 0
	for i, a := range c.names {
		for _, b := range c.names[i+1:] {
			if c.counts(a, b) {
				n += len(c.classes[a]) * len(c.classes[b])
			}
		}
	}
	return n - len(c.met)
}

func (c *Cover) offer(name string, classes []int) {
	if c.classes == nil {
		c.classes = map[string][]int{}
	}
	if _, known := c.classes[name]; !known {
		c.names = append(c.names, name)
	}
	for _, x := range classes {
		if !slices.Contains(c.classes[name], x) {
			c.classes[name] = append(c.classes[name], x)
		}
	}
}

func (c *Cover) counts(a, b string) bool {
	return a != b && (c.Wanted == nil || slices.Contains(c.Wanted, [2]string{a, b}) || slices.Contains(c.Wanted, [2]string{b, a}))
}

// gain counts the values of others that x has not met.
func (c *Cover) gain(name string, x int, others map[string][]int) (n int) {
	for other, values := range others {
		if !c.counts(name, other) {
			continue
		}
		for _, y := range values {
			if !c.met[of(name, x, other, y)] {
				n++
			}
		}
	}
	return n
}

// most returns the values for which count is greatest, nil if it is 0 for all.
func most(values []int, count func(int) int) (out []int) {
	best := 1
	for _, v := range values {
		switch n := count(v); {
		case n > best:
			out, best = []int{v}, n
		case n == best:
			out = append(out, v)
		}
	}
	return out
}
