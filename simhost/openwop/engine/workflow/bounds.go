package workflow

// Number takes what encoding/json makes of a number, and an int from a caller in Go.
func Number(value any) (float64, bool) {
	switch n := value.(type) {
	case float64:
		return n, true
	case int:
		return float64(n), true
	}
	return 0, false
}
