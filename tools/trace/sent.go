package trace

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"github.com/openassay/assay/reports"
	"github.com/openassay/assay/scenarios/wire"
	"github.com/openassay/assay/tools/sent"
)

//go:embed sent.json
var recordedSent []byte

// sentItems is what drives send as the file has it: by protocol, operation and kind.
type sentItems map[string]map[string]map[sent.Kind][]string

// Sent returns what the drives of a protocol send, as it was recorded with one seed at depth standard and at depth quick.
func Sent(protocol string) (sent.Items, error) {
	var all sentItems
	if err := json.Unmarshal(recordedSent, &all); err != nil {
		return nil, fmt.Errorf("read what drives are recorded to send: %w", err)
	}
	items := sent.Items{}
	for operation, kinds := range all[protocol] {
		items[sent.Item{Operation: operation, Kind: sent.Called}] = sent.Times{}
		for kind, list := range kinds {
			for _, what := range list {
				items[sent.Item{Operation: operation, Kind: kind, What: what}] = sent.Times{}
			}
		}
	}
	return items, nil
}

// Sums are what drives send, by protocol.
type Sums map[string]*sent.Sum

// Add adds what the drives of the certification in a report folder sent.
func (s Sums) Add(dir string) error {
	doc, err := reports.Load(dir)
	if err != nil {
		return err
	}
	id := doc.Target.Protocol
	if s[id] == nil {
		protocol := protocolOf(id)
		if protocol == nil {
			return fmt.Errorf("the report in %s is of the protocol %q, which is unknown", dir, id)
		}
		if s[id], err = sent.New(protocol); err != nil {
			return err
		}
	}
	files, err := filepath.Glob(filepath.Join(dir, reports.TranscriptsDir, "*.json"))
	if err != nil {
		return err
	}
	for _, file := range files { // each has clients of its own
		raw, err := os.ReadFile(file)
		if err != nil {
			return err
		}
		var t wire.Transcript
		if err := json.Unmarshal(raw, &t); err != nil {
			return fmt.Errorf("read %s: %w", file, err)
		}
		slices.SortStableFunc(t.Entries, func(a, b wire.Entry) int { return a.At.Compare(b.At) })
		s[id].Add(t.Entries, func(int) string { return t.Drive })
	}
	return nil
}

// Encode encodes the sums in the format of the file. Requests for no operation of the protocol are left out: they belong to nobody's list.
func (s Sums) Encode() ([]byte, error) {
	all := sentItems{}
	for id, sum := range s {
		all[id] = map[string]map[sent.Kind][]string{}
		for _, i := range sum.Items.Sorted() {
			if i.Kind == sent.Unknown {
				continue
			}
			if all[id][i.Operation] == nil {
				all[id][i.Operation] = map[sent.Kind][]string{}
			}
			if i.Kind != sent.Called {
				all[id][i.Operation][i.Kind] = append(all[id][i.Operation][i.Kind], i.What)
			}
		}
	}
	raw, err := json.MarshalIndent(all, "", " ")
	if err != nil {
		return nil, fmt.Errorf("encode what drives send: %w", err)
	}
	return append(raw, '\n'), nil
}
