package wire

import (
	"context"
	"encoding/json"
	"net/http"
	"reflect"
	"slices"
	"strings"
	"sync"

	"github.com/openassay/assay/internal/apidoc"
	"github.com/openassay/assay/internal/validate"
)

// Misfit returns a context in which requests need not fit the contract, for the sake of the requirement or the reading that
// has this id.
func Misfit(ctx context.Context, id string) context.Context {
	return context.WithValue(ctx, misfitKey{}, id)
}

type misfitKey struct{}

// Contract is what a protocol wants of the requests that its targets get. A [Client] checks each before it leaves. One that
// does not fit is not sent, which is [ErrMisfit], unless the drive says by [Misfit] that this is meant.
type Contract struct {
	Bundled func() []byte        // the API document, or the schemas, as the generator bundles them
	Input   string               // the component that a program reads; "" where no program speaks the protocol
	Cites   func(id string) bool // reports whether a requirement or a reading has this id

	once sync.Once
	read *readDoc
	err  error
}

// readDoc is the document as requests are checked against it.
type readDoc struct {
	routes  apidoc.Routes
	schemas *validate.Set
}

// readDocs holds the documents that were read, by their text: a process may certify a thousand targets.
var readDocs sync.Map // string -> *readDoc

// document reads the document at its first use.
func (k *Contract) document() (*readDoc, error) {
	k.once.Do(func() {
		source := k.Bundled()
		if known, ok := readDocs.Load(string(source)); ok {
			k.read = known.(*readDoc)
			return
		}
		var schemas *validate.Set
		if schemas, k.err = validate.Embedded(source); k.err != nil {
			return
		}
		var operations apidoc.Operations
		if operations, k.err = apidoc.Read(source, schemas, nil); k.err != nil {
			return
		}
		k.read = &readDoc{operations.Routes(), schemas}
		readDocs.Store(string(source), k.read)
	})
	return k.read, k.err
}

// mostMisfits are named in one error.
const mostMisfits = 3

// fits returns for whose sake a call does not fit the contract, "" if it fits, or [ErrMisfit].
func (c *Client) fits(ctx context.Context, call Call, body []byte) (meant string, err error) {
	return c.checked(ctx, body, func(doc *readDoc) ([]apidoc.Misfit, error) {
		q := apidoc.Request{Method: call.Method, Path: call.Path, Body: body, Unsigned: (call.Anonymous || call.Carries != OwnCredential) && c.key != ""}
		if call.Route != "" {
			_, query, _ := strings.Cut(call.Path, "?")
			q.Path = call.Route + strings.TrimSuffix("?"+query, "?")
		}
		for name, value := range call.Header {
			name = http.CanonicalHeaderKey(name)
			if name == "Authorization" || c.keyed(name) {
				q.Unsigned = c.key != ""
				continue
			}
			if q.Header == nil {
				q.Header = map[string]string{}
			}
			q.Header[name] = value
		}
		return doc.routes.Misfits(q), nil
	})
}

// fitsInput is like fits, for what a program is to read.
func (c *Client) fitsInput(ctx context.Context, input []byte) (meant string, err error) {
	return c.checked(ctx, input, func(doc *readDoc) (found []apidoc.Misfit, err error) {
		name := c.network.contract.Input
		if name == "" {
			return nil, nil
		}
		schema, err := doc.schemas.Component(name)
		if err != nil {
			return nil, err
		}
		for _, p := range schema.Validate(input) {
			found = append(found, apidoc.Misfit{Operation: name, In: "body", Pointer: p.Instance, Want: p.Message, At: p.Keyword})
		}
		return found, nil
	})
}

func (c *Client) checked(ctx context.Context, sent []byte, misfits func(*readDoc) ([]apidoc.Misfit, error)) (meant string, err error) {
	k := c.network.contract
	if k == nil {
		return "", nil
	}
	doc, err := k.document()
	if err != nil {
		return "", c.misfit("the contract cannot be read: " + err.Error())
	}
	found, err := misfits(doc)
	if err != nil {
		return "", c.misfit("the contract cannot be read: " + err.Error())
	}
	if len(found) == 0 {
		return "", nil
	}
	meant, _ = ctx.Value(misfitKey{}).(string)
	if k.Cites(meant) {
		return meant, nil
	}
	if found = c.ours(found, sent); len(found) == 0 {
		return "", nil
	}
	texts := make([]string, 0, mostMisfits)
	for _, m := range found[:min(len(found), mostMisfits)] {
		texts = append(texts, m.String())
	}
	if meant != "" {
		texts = append(texts, "no requirement or reading has the id "+clip(meant))
	}
	return "", c.misfit(strings.Join(texts, "; "))
}

// misfit returns an [ErrMisfit], and keeps the first one of the drive: a drive may go on without a reply.
func (c *Client) misfit(detail string) error {
	err := &failure{kind: ErrMisfit, doing: "drive " + c.transcript.Drive, detail: detail}
	c.misfits.CompareAndSwap(nil, err)
	return err
}

// Misfit returns the first [ErrMisfit] of the drive, nil if all of its requests fit or said that they do not.
func (c *Client) Misfit() error {
	if err := c.misfits.Load(); err != nil {
		return err
	}
	return nil
}

// ours returns the misfits without those of values that the target sent before, or left out: it chose its ids, its cursors and the
// state that it wants back, and where it names none, a text is empty. We blame neither it nor ourselves where we return them.
func (c *Client) ours(found []apidoc.Misfit, body []byte) []apidoc.Misfit {
	sent, _ := decode(c.network.redactor.Clean(printable(string(body))))
	heard := c.heard()
	return slices.DeleteFunc(found, func(m apidoc.Misfit) bool {
		if m.In != "body" {
			return m.Sent && heard.hold("", c.network.redactor.Clean(m.Value))
		}
		for at := m.Pointer; at != ""; {
			cut := strings.LastIndexByte(at, '/')
			if value, there := lookup(sent, at); there && heard.hold(at[cut+1:], value) {
				return true
			}
			at = at[:cut]
		}
		return false
	})
}

// documents are what a target has sent, decoded.
type documents []any

// heard returns what the target has sent to the drive, and its discovery document.
func (c *Client) heard() (all documents) {
	texts := []string{c.network.discovered}
	for n := 1; n <= c.transcript.Len(); n++ {
		e := c.transcript.Entry(n)
		if text, ok := e.document(); ok {
			texts = append(texts, text)
		}
		if e.Response != nil {
			for _, value := range e.Response.Header {
				all = append(all, value)
			}
		}
		if e.Kind == "stream" {
			for k := 1; ; k++ {
				event, ok := c.transcript.event(n, k)
				if !ok {
					break
				}
				all = append(all, event.ID)
				texts = append(texts, event.Data)
			}
		}
	}
	for _, text := range texts {
		if doc, err := decode(text); err == nil {
			all = append(all, doc)
		}
	}
	return all
}

// hold reports whether a value stands in the documents: a text, an object or a list anywhere, any other under the same name.
func (d documents) hold(name string, value any) bool {
	switch value := value.(type) {
	case string:
		return value == "" || d.have(func(_ string, v any) bool { return v == value || v == json.Number(value) })
	case map[string]any:
		return len(value) > 0 && d.have(func(_ string, v any) bool { return reflect.DeepEqual(v, any(value)) })
	case []any:
		return len(value) > 0 && d.have(func(_ string, v any) bool { return reflect.DeepEqual(v, any(value)) })
	}
	return d.have(func(n string, v any) bool { return n == name && v == value })
}

func (d documents) have(wanted func(name string, v any) bool) bool {
	var in func(name string, v any) bool
	in = func(name string, v any) bool {
		switch v := v.(type) {
		case map[string]any:
			for n, member := range v {
				if in(n, member) {
					return true
				}
			}
		case []any:
			for _, element := range v {
				if in("", element) {
					return true
				}
			}
		}
		return wanted(name, v)
	}
	return slices.ContainsFunc(d, func(doc any) bool { return in("", doc) })
}
