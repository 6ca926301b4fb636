package rules

// Requests is how a tool is asked for.
type Requests struct {
	// Excerpt is how much of a result is passed on to the next tool.
	Excerpt func(text string) string
}

// ExcerptBytes is how many bytes of a result are passed on to the next tool at most; all of it is in a file where there is a
// workspace.
const ExcerptBytes = 16 << 10

func honestRequests() Requests {
	return Requests{
		Excerpt: func(text string) string { return Cut(text, ExcerptBytes) },
	}
}

// Cut is the first bytes of a text, without half a character at its end.
func Cut(text string, bytes int) string {
	if len(text) <= bytes {
		return text
	}
	for bytes > 0 && text[bytes]&0xC0 == 0x80 {
		bytes--
	}
	return text[:bytes]
}
