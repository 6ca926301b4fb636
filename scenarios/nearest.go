package scenarios

// Nearest is the known name that is fewest edits away from name, or "" when
// nothing is near enough to be meant.
func Nearest(name string, known []string) string {
	best, most := "", max(2, len(name)/2)
	for _, k := range known {
		if d := edits(name, k); d < most {
			best, most = k, d
		}
	}
	return best
}

// edits is the Levenshtein distance in bytes.
func edits(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := 1; i <= len(a); i++ {
		diagonal := row[0]
		row[0] = i
		for j := 1; j <= len(b); j++ {
			cost := diagonal
			if a[i-1] != b[j-1] {
				cost++
			}
			diagonal = row[j]
			row[j] = min(cost, row[j]+1, row[j-1]+1)
		}
	}
	return row[len(b)]
}
