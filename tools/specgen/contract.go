package specgen

import (
	"fmt"
	"os"
)

// Contract is what a spec folder says, as one document: what [Generate] makes code of.
type Contract struct {
	// Document is OpenAPI 3.1 that refers to nothing outside itself. Every schema of the folder is a component of it; of a
	// folder of schemas only, it has no paths.
	Document []byte
	Events   []Payload // sorted by type
	// Schemas are the components that are a whole schema file each, which an operation or a payload may refer to or not.
	Schemas []string
}

// Payload is the schema of an event's payload.
type Payload struct {
	Type      string // of the event, or the pattern of a family of types
	Component string // in Document
}

// Read reads a spec folder without generating anything. Mistakes in the folder come as *SpecError, joined and sorted when
// there are several; the rules of the house's own specs are not applied.
func Read(dir string) (*Contract, error) {
	switch info, err := os.Stat(dir); {
	case err != nil:
		return nil, fmt.Errorf("read spec folder: %w", err)
	case !info.IsDir():
		return nil, fmt.Errorf("read spec folder: %s is a file: name the folder that holds it", dir)
	}
	f, err := load(dir)
	if err != nil {
		return nil, err
	}
	c, err := read(f, false)
	if err != nil {
		return nil, err
	}
	out := Contract{}
	if out.Document, err = encode(c.doc); err != nil {
		return nil, err
	}
	for _, e := range c.events {
		out.Events = append(out.Events, Payload{e.Type, e.Component})
	}
	for _, name := range sortedKeys(asObject(asObject(c.doc["components"])["schemas"])) {
		if at, known := c.origin[name]; known && !at.doc.isRoot && at.pointer == "" {
			out.Schemas = append(out.Schemas, name)
		}
	}
	return &out, nil
}
