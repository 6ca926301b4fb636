package mutate

// Objects changes every JSON object of a reply, wherever it stands: alone, in a list or inside of another one, which comes
// after it. A reply that is no JSON stays as it is.
func Objects(change func(object map[string]any)) ReplyFunc {
	return func(r *Reply) {
		document := Decode(r.Body)
		if document == nil {
			return
		}
		walk(document, change)
		r.Body = Encode(document)
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

// Put puts a value at a place in an object, given as the names of its members. Objects on the way that are not there are made.
func Put(object map[string]any, place []string, value any) {
	if len(place) == 1 {
		object[place[0]] = value
		return
	}
	inner, ok := object[place[0]].(map[string]any)
	if !ok {
		inner = map[string]any{}
		object[place[0]] = inner
	}
	Put(inner, place[1:], value)
}
