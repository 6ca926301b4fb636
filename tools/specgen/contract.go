package specgen

// Contract is the content of a spec folder as one document: the input of [Generate].
type Contract struct {
	// Document is a self-contained OpenAPI 3.1 document. Every schema of the folder is a component of it; for a folder
	// of schemas only, it has no paths.
	Document []byte
	Events   []Payload // sorted by type
	// Schemas lists the components that are a whole schema file each, referenced or not.
	Schemas []string
}

// Payload is the schema of an event's payload.
type Payload struct {
	Type      string // type of the event, or the pattern of a family of types
	Component string // in Document
}

// Read reads a spec, a folder or a file, without generating anything. It returns mistakes in the folder as *SpecError, joined and
// sorted if there are several. It does not apply the extra rules for Assay's own specs.
func Read(dir string) (*Contract, error) {
	f, err := load(dir, false, nil)
	if err != nil {
		return nil, err
	}
	c, err := read(f)
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
