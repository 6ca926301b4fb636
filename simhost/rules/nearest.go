package rules

// nearest returns the fault id that takes the fewest edits to reach from what was typed.
func nearest(typed string) string {
	best, fewest := "", -1
	for _, f := range Faults() {
		if n := edits(typed, f.ID); fewest < 0 || n < fewest {
			best, fewest = f.ID, n
		}
	}
	return best
}

// edits is the Levenshtein distance, over bytes: ids are ASCII.
func edits(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		corner := row[0]
		row[0] = i + 1
		for j := range len(b) {
			change := corner
			if a[i] != b[j] {
				change++
			}
			corner = row[j+1]
			row[j+1] = min(change, row[j]+1, corner+1)
		}
	}
	return row[len(b)]
}
