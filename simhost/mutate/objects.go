package mutate

// Objects changes every JSON object of a reply, wherever it stands: alone, in a list or inside of another one, which comes
// after it. A reply that is no JSON stays as it is.
func Objects(change func(object map[string]any)) ReplyFunc {
	return func(r *Reply) {
		document := decode(r.Body)
		if document == nil {
			return
		}
		walk(document, change)
		r.Body = encode(document)
	}
}

func walk(value any, change func(map[string]any)) {
	switch value := value.(type) {
	case map[string]any:
		for _, inner := range value {
			walk(inner, change)
		}
		change(value)
	case []any:
		for _, inner := range value {
			walk(inner, change)
		}
	}
}
