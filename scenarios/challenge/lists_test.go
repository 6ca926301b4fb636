package challenge

import (
	"testing"

	"github.com/openassay/assay/scenarios/wire"
)

// Whoever has seen enough is offered no further element, also of an empty list that was searched for a word.
func TestElementsOfAnEmptyListEndWithWhoeverAsks(t *testing.T) {
	s := &scene{own: &pool{}, all: &pool{}}
	e := element{vain: true, sought: []wire.Sought{{Pointer: "/event_type", Word: "intent.resumed"}}}
	seen := 0
	for range s.more(e, nil, traits{}) {
		seen++
		break
	}
	if seen != 1 {
		t.Errorf("%d elements", seen)
	}
}
