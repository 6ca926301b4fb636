package specgen

// A normaliser rewrites a bundled 3.1 document into the part of OpenAPI that oapi-codegen turns into clean Go. It works
// on a copy for code generation; validation always uses the original schemas.
type normaliser struct {
	doc    object
	comps  object                                      // components.schemas of doc
	source func(where location) (file, pointer string) // original place in the folder
}

// location is a place in the bundled document: below a component, or, without one, below the document itself.
type location struct{ component, pointer string }

func (l location) down(pointer string) location {
	l.pointer += pointer
	return l
}

// pass is one step of the normaliser. The order matters: a pass may rely on the results of earlier ones.
type pass struct {
	name string
	run  func(*normaliser) error
}

func passes() []pass {
	return []pass{
		{"booleans", each(booleanSchemas)},
		{"annotations", each(dropAnnotations)},
		{"conditions", each(dropConditions)},
		{"refs", each(bareRefs)},
		{"branches", each(dropConstraintBranches)},
		{"types", each(goTypes)},
		{"nullable", each(nullableUnions)},
		{"strings", stringUnions},
		{"structs", each(plainStructs)},
		{"hoist", hoist},
		{"discriminators", discriminators},
		{"any", each(rawValues)},
		{"optionals", optionals},
		{"comments", each(wrapDescriptions)},
	}
}

// normalise returns the code generation copy of a bundled document.
func normalise(b *bundled) (object, error) {
	doc := clone(b.doc).(object)
	z := &normaliser{doc: doc, comps: childObject(childObject(doc, "components"), "schemas"), source: b.source}
	for _, p := range passes() {
		if err := p.run(z); err != nil {
			return nil, err
		}
	}
	return doc, nil
}

// source returns the original place of a location. Indexes of branches may be off after a pass that drops branches.
func (b *bundled) source(where location) (file, pointer string) {
	if p, ok := b.origin[where.component]; ok {
		return p.doc.file, p.pointer + where.pointer
	}
	return b.folder.root.file, where.pointer
}

// each makes a pass from a function that rewrites one schema at a time, innermost first.
func each(f func(s object)) func(*normaliser) error {
	return func(z *normaliser) error {
		z.eachSchema(f)
		return nil
	}
}

func (z *normaliser) eachSchema(f func(s object)) {
	var visit func(v any)
	visit = func(v any) {
		s, ok := v.(object)
		if !ok {
			return
		}
		for _, sl := range slots(s) {
			visit(sl.value)
		}
		f(s)
	}
	walkAPI(z.doc, func(sl slot) { visit(sl.value) })
}

// deref returns the component that a schema refers to, or the schema itself; nil if the references form a cycle.
func (z *normaliser) deref(s object) object {
	for range maxDepth {
		ref := asString(s["$ref"])
		if ref == "" {
			return s
		}
		s = asObject(z.comps[ref[len(componentPrefix):]])
	}
	return nil
}
