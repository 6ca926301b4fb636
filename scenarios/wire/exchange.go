package wire

// Reply returns the body of the reply in the n-th entry, counted from 1; absent if it is not JSON.
func (t *Transcript) Reply(n int) Value {
	v, err := t.value(Ref{Exchange: n})
	if err != nil {
		return Value{ref: Ref{Exchange: n}}
	}
	return v
}

// Status returns the HTTP status of the reply in the n-th entry; absent if there is none.
func (t *Transcript) Status(n int) Value {
	v, err := t.value(Ref{Exchange: n, Part: "status"})
	if err != nil {
		return Value{ref: Ref{Exchange: n, Part: "status"}}
	}
	return v
}
