package scenarios

import "slices"

// appendIndented appends compact JSON, indented from a depth on by one space a level. It does not validate the JSON,
// which makes it much faster than [json.Indent].
func appendIndented(to, compact []byte, depth int) []byte {
	to = slices.Grow(to, len(compact)+len(compact)/4)
	for i := 0; i < len(compact); {
		switch c := compact[i]; c {
		case '"':
			end := endOfString(compact, i)
			to = append(to, compact[i:end]...)
			i = end
			continue
		case '{', '[':
			to = append(to, c)
			if i+1 < len(compact) && (compact[i+1] == '}' || compact[i+1] == ']') {
				i++
				to = append(to, compact[i])
				break
			}
			depth++
			to = newLine(to, depth)
		case '}', ']':
			depth--
			to = append(newLine(to, depth), c)
		case ',':
			to = newLine(append(to, c), depth)
		case ':':
			to = append(to, c, ' ')
		default:
			to = append(to, c)
		}
		i++
	}
	return to
}

// endOfString returns the end of the string that begins at i.
func endOfString(compact []byte, i int) int {
	for i++; i < len(compact) && compact[i] != '"'; i++ {
		if compact[i] == '\\' {
			i++
		}
	}
	return min(i+1, len(compact))
}

func newLine(to []byte, depth int) []byte {
	to = append(to, '\n')
	for range depth {
		to = append(to, ' ')
	}
	return to
}
