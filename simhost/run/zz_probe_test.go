package run

import (
	"fmt"
	"encoding/json"
	"strings"
	"testing"
	"time"
)

func TestZZSchemas(t *testing.T) {
	for name, schema := range map[string]string{
		"unique":  `{"type":"array","uniqueItems":true}`,
		"pattern": `{"type":"string","pattern":"^` + strings.Repeat("(a?){1000}", 100) + `$"}`,
	} {
		h := newHost(t)
		s := h.create(Create{WorkflowID: "assay-questions", Inputs: object(t, `{"questions":[{"id":"q1","question":"?","schema":`+schema+`}]}`)})
		if s.Interrupt == nil {
			t.Fatalf("%s: %v", name, s.Error)
		}
		n := 3000
		var answer any
		if name == "unique" {
			list := make([]int, n)
			for i := range list {
				list[i] = i
			}
			answer = list
		} else {
			answer = strings.Repeat("a", n)
		}
		raw, _ := json.Marshal(map[string]any{"answers": map[string]any{"q1": answer}})
		began := time.Now()
		err := h.say(s.RunID, "", string(raw))
		fmt.Println(name, len(raw), time.Since(began), err)
	}
}

func FuzzChecksum(f *testing.F) {
	f.Add([]byte(`{"a":-0.0,"b":1e308,"c":"\u2028<\u0000","d":1e-320,"e":12345678901234567890}`))
	f.Fuzz(func(t *testing.T, raw []byte) {
		var v map[string]any
		if json.Unmarshal(raw, &v) != nil {
			return
		}
		if _, err := checksum(v); err != nil {
			t.Fatalf("%q: %v", raw, err)
		}
	})
}
