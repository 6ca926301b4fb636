package wire

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
	"unicode/utf8"
)

// Listing is what was read from files, as recorded.
type Listing struct {
	Of      string `json:"of"`      // whose files
	Content string `json:"content"` // a JSON document
}

// Read is what was read from files.
type Read struct {
	exchange   int
	transcript *Transcript
}

// Value mints the value at a JSON pointer of the document.
func (r *Read) Value(pointer string) Value {
	v, err := r.transcript.value(Ref{Exchange: r.exchange, Pointer: pointer})
	if err != nil {
		return Value{ref: Ref{Exchange: r.exchange, Pointer: pointer}}
	}
	return v
}

// Exchange returns the number of the entry in the transcript.
func (r *Read) Exchange() int { return r.exchange }

// Declaration is the discovery document of a target.
type Declaration struct {
	Document, Status Value  // Status is the HTTP status, absent for an executable
	Raw              []byte // the document, not redacted
	Found            bool   // whether the reply was 2xx
	Date             string // the Date header
	// Certificate is the SHA-256 of the certificate that the server showed, in hex; "" without TLS.
	Certificate string
	Nonce       Value // the header [NonceHeader], absent without
}

// Discover returns the discovery document of the target: the one at path, which it fetches without a credential, or
// what was declared of an executable, if that can be started. Errors are those of [Client.Do].
func (c *Client) Discover(ctx context.Context, path string) (Declaration, error) {
	p := c.network.target.Process
	if p == nil {
		reply, err := c.Do(ctx, Call{Method: "GET", Path: path, Label: "discovery", Anonymous: true, Discovery: true})
		if err != nil {
			return Declaration{}, err
		}
		c.network.discovered = c.network.redactor.Clean(string(reply.Body))
		return Declaration{reply.Value(""), reply.StatusValue(), reply.Body, reply.Success(), reply.Header.Get("Date"),
			reply.certificate, reply.HeaderValue(NonceHeader)}, nil
	}
	doing := "look at " + clip(p.Name)
	if err := p.CheckProgram(); err != nil {
		return Declaration{}, &failure{kind: notStarted{}, cause: err}
	}
	weight, err := c.network.limits.vetted(doing, p.Declared)
	if err == nil {
		err = c.held.decode(ctx, doing, weight)
	}
	if err != nil {
		return Declaration{}, err
	}
	c.network.discovered = c.network.redactor.Clean(string(p.Declared))
	read, err := c.keep("discovery", "what is declared of "+p.Name, p.Declared)
	if err != nil {
		return Declaration{}, err
	}
	return Declaration{Document: read.Value(""), Raw: p.Declared, Found: true}, nil
}

// Declared returns what was declared of an executable, for a drive that has to use it; nil for other targets. Unlike
// the document of [Client.Discover], it is not redacted.
func (c *Client) Declared() []byte {
	if p := c.network.target.Process; p != nil {
		return p.Declared
	}
	return nil
}

// file is a file in the listing of a folder.
type file struct {
	Kind   string `json:"kind"` // file, folder, link or other
	Bytes  int64  `json:"bytes"`
	Text   string `json:"text,omitempty"` // the start, if it is long or not text
	Whole  bool   `json:"whole,omitempty"`
	SHA256 string `json:"sha256,omitempty"` // of the bytes that were read
	Inside bool   `json:"inside,omitempty"` // a link to something in the same folder
}

// mostRead is the number of bytes read of a file.
const mostRead = 4 << 20

// ReadFolder records the contents of a folder that the target writes: an object of its files by their paths, with
// slashes. Links are listed and not followed. A member "…" stands for files over the limit. A missing folder is empty.
func (c *Client) ReadFolder(label, dir string) (*Read, error) {
	found, err := listFolder(dir, c.network.limits)
	if err != nil {
		return nil, fmt.Errorf("read the folder of the target: %w", err)
	}
	content, err := json.Marshal(found)
	if err != nil {
		return nil, err
	}
	return c.keep(label, "files of "+filepath.Base(dir), content)
}

func listFolder(dir string, limits Limits) (map[string]file, error) {
	found := map[string]file{}
	root, err := os.OpenRoot(dir) // links in it cannot lead outside
	if errors.Is(err, fs.ErrNotExist) {
		return found, nil
	}
	if err != nil {
		return nil, err
	}
	defer root.Close()
	kept := 0
	err = fs.WalkDir(root.FS(), ".", func(path string, d fs.DirEntry, err error) error {
		switch {
		case path == ".":
			return err
		case len(found) == limits.Files:
			found["…"] = file{Kind: "other"}
			return fs.SkipAll
		case err != nil:
			found[path] = file{Kind: "other"}
			return nil
		}
		f := readFile(root, path, d, limits.FileKept)
		if kept += len(f.Text); kept > 8*limits.FileKept {
			f.Text, f.Whole = "", false
		}
		found[path] = f
		return nil
	})
	return found, err
}

func readFile(root *os.Root, path string, d fs.DirEntry, most int) file {
	switch mode := d.Type(); {
	case mode.IsDir():
		return file{Kind: "folder"}
	case mode&fs.ModeSymlink != 0:
		_, err := root.Stat(path) // an error if it leads outside
		return file{Kind: "link", Inside: err == nil}
	case !mode.IsRegular():
		return file{Kind: "other"}
	}
	// The file may have become a pipe, which must not block us.
	open, err := root.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK|syscall.O_NOFOLLOW, 0)
	if err != nil {
		return file{Kind: "other"}
	}
	defer open.Close()
	info, err := open.Stat()
	if err != nil || !info.Mode().IsRegular() {
		return file{Kind: "other"}
	}
	content, err := io.ReadAll(io.LimitReader(open, mostRead))
	if err != nil {
		return file{Kind: "other", Bytes: info.Size()}
	}
	sum := sha256.Sum256(content)
	f := file{Kind: "file", Bytes: info.Size(), SHA256: fmt.Sprintf("%x", sum)}
	f.Whole = len(content) <= most && utf8.Valid(content)
	f.Text = printable(string(content[:min(len(content), most)]))
	return f
}

// keep records what was read.
func (c *Client) keep(label, of string, content []byte) (*Read, error) {
	clean := c.network.redactor.Clean
	entry := Entry{
		Kind: "files", At: c.network.now().UTC(), Label: label,
		Files: &Listing{Of: clean(of), Content: clean(string(content))},
	}
	if full := c.held.keep(of, entry.bytes()); full != nil {
		entry.strip(full.Error())
		c.transcript.add(entry)
		return nil, full
	}
	return &Read{exchange: c.transcript.add(entry), transcript: c.transcript}, nil
}
