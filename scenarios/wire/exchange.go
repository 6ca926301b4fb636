package wire

// Reply is the whole body of the reply in the n-th entry, counted from 1, as the transcript has it; absent where it is no JSON.
func (t *Transcript) Reply(n int) Value {
	v, err := t.value(Ref{Exchange: n})
	if err != nil {
		return Value{ref: Ref{Exchange: n}}
	}
	return v
}
