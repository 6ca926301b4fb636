package live

import (
	"strings"
	"testing"

	"github.com/openassay/assay/simhost/openwop/engine/workflow"
)

func TestLogsThatCannotBeRead(t *testing.T) {
	h := newHost(t)
	write := func(record string) string {
		id := workflow.Letters.Run(h.o.IDs.Next())
		if _, err := h.log.Append(soon(t), id, 0, []byte(record)); err != nil {
			t.Fatal(err)
		}
		return id
	}
	for record, says := range map[string]string{
		`{`:  "decode a record",
		`{}`: "does not begin with what it was created from",
		`{"facts":[{"at":0,"created":{"definition":"abc","version":5,"floor":0.5,"escalation":"clarification","agentThreshold":0.7}}]}`: "no workflow definition abc",
	} {
		_, err := h.Snapshot(soon(t), write(record))
		if err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%s: %v", record, err)
		}
	}
}
