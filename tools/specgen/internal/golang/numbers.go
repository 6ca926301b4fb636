package golang

import (
	"encoding/json"
	"math/big"
	"strings"
)

// wholeNumber reads an integer of the document, however it is written.
func wholeNumber(v any) (*big.Int, bool) {
	n, ok := v.(json.Number)
	if !ok || len(n) > 400 {
		return nil, false
	}
	if i := strings.IndexAny(n.String(), "eE"); i >= 0 && len(n)-i > 5 {
		return nil, false
	}
	r, ok := new(big.Rat).SetString(n.String())
	if !ok || !r.IsInt() {
		return nil, false
	}
	return r.Num(), true
}

// wide reports whether a bound needs more bits than that, its sign aside.
func wide(v any, bits int) bool {
	n, ok := wholeNumber(v)
	if !ok {
		return false
	}
	if n.Sign() < 0 { // -2^63 fits
		n = new(big.Int).Not(n)
	}
	return n.BitLen() > bits
}
