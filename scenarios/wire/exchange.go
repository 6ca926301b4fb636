package wire

// Reply returns the body of the reply in the n-th entry, counted from 1; absent if it is not JSON.
func (t *Transcript) Reply(n int) Value {
	v, err := t.value(Ref{Exchange: n})
	if err != nil {
		return Value{ref: Ref{Exchange: n}}
	}
	return v
}
