package prove

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/openassay/assay/gen/results"
	"github.com/openassay/assay/internal/validate"
	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/tools/internal/protocols"
)

// PartName is the file name of an unfinished matrix, a [Part].
const PartName = "kill-matrix.part.ndjson"

// ErrNoPart means that a folder holds no unfinished matrix.
var ErrNoPart = errors.New("there is no " + PartName)

// UnfinishedError means that some hosts of a matrix have no result yet.
type UnfinishedError struct {
	Of      int
	Pending []string
}

func (e *UnfinishedError) Error() string {
	some := strings.Join(e.Pending[:min(3, len(e.Pending))], ", ")
	if len(e.Pending) > 3 {
		some += ", …"
	}
	return fmt.Sprintf("%d of %d hosts are not done: %s", len(e.Pending), e.Of, some)
}

// Part is a matrix on disk that grows by a line for each finished host, so that a crash only loses the host in
// progress. Its first line names all hosts, so nobody can mistake a part for the whole. Keep is not safe for concurrent
// use.
type Part struct {
	head results.KillPartHead
	done map[string]Result // by host
	file *os.File          // nil for a part that is only read
}

// CreatePart starts a part for o in dir and replaces an existing one.
func CreatePart(dir string, o Options) (*Part, error) {
	head, err := o.head()
	if err != nil {
		return nil, err
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, fmt.Errorf("start the kill matrix: %w", err)
	}
	file, err := os.Create(filepath.Join(dir, PartName))
	if err != nil {
		return nil, fmt.Errorf("start the kill matrix: %w", err)
	}
	p := &Part{head, map[string]Result{}, file}
	if err := p.write(head); err != nil {
		return nil, errors.Join(err, file.Close())
	}
	return p, nil
}

// ResumePart continues the part in dir. The error is [ErrNoPart], or names the difference between the part and o.
func ResumePart(dir string, o Options) (*Part, error) {
	head, err := o.head()
	if err != nil {
		return nil, err
	}
	p, whole, err := readPart(dir)
	if err != nil {
		return nil, err
	}
	path := filepath.Join(dir, PartName)
	if what := differ(p.head, head); what != "" {
		return nil, fmt.Errorf("%s was started with other %s: prove with the same, or start again without --resume", path, what)
	}
	if p.file, err = os.OpenFile(path, os.O_WRONLY, 0); err != nil {
		return nil, fmt.Errorf("go on with the kill matrix: %w", err)
	}
	if _, err := p.file.Seek(whole, 0); err == nil {
		err = p.file.Truncate(whole)
	}
	if err != nil {
		return nil, errors.Join(fmt.Errorf("go on with the kill matrix: %w", err), p.file.Close())
	}
	return p, nil
}

// MergeParts combines the parts in dirs. They must have the same head.
func MergeParts(dirs ...string) (*Part, error) {
	merged := &Part{done: map[string]Result{}}
	for i, dir := range dirs {
		p, _, err := readPart(dir)
		if err != nil {
			return nil, err
		}
		if i == 0 {
			merged.head = p.head
		}
		if what := differ(merged.head, p.head); what != "" {
			return nil, fmt.Errorf("%s and %s were started with other %s: they are not of one matrix", dirs[0], dir, what)
		}
		for host, r := range p.done {
			if other, twice := merged.done[host]; twice && !reflect.DeepEqual(other, r) {
				return nil, fmt.Errorf("%s says something else of %s than another folder: prove that host again", dir, host)
			}
			merged.done[host] = r
		}
	}
	return merged, nil
}

// Options returns the options of the part. It fails if another build, with other faults or scenarios, started the part.
func (p *Part) Options() (Options, error) {
	depth, err := depthOf(string(p.head.Depth))
	if err != nil {
		return Options{}, err
	}
	o := Options{Seed: p.head.Seed, Depth: depth}
	o.Select.Suites, o.Select.Scenarios = p.head.Suites, p.head.Scenarios
	o.Patience = time.Duration(p.head.PatienceMs) * time.Millisecond
	names := hostsIn(p.head)
	o.Hosts = slices.DeleteFunc(Hosts(), func(h Host) bool { return !names[h.Name] })
	o.Done = p.done
	today, err := o.head()
	if err != nil {
		return Options{}, err
	}
	if what := differ(p.head, today); what != "" {
		return Options{}, fmt.Errorf("the part was started with other %s than this Assay has: use the one that started it, or prove again", what)
	}
	return o, nil
}

// Done returns the results of the finished hosts, by name.
func (p *Part) Done() map[string]Result { return p.done }

// Keep adds the result of a host. It returns after writing it to the file.
func (p *Part) Keep(host string, r Result) error {
	p.done[host] = r
	return p.write(results.KillPartHost{Line: results.KillPartHostLineHost, Host: host, Honest: r.Honest, Fault: r.Fault})
}

// Close closes the part and keeps it for later.
func (p *Part) Close() error { return p.file.Close() }

// Remove deletes the part, once the matrix is complete.
func (p *Part) Remove() error {
	return errors.Join(p.file.Close(), os.Remove(p.file.Name()))
}

// write appends a line in one call, so that two processes cannot mix theirs and only the last line can be truncated.
func (p *Part) write(line any) error {
	raw, err := json.Marshal(line)
	if err != nil {
		return fmt.Errorf("write the kill matrix: %w", err)
	}
	if _, err := p.file.Write(append(raw, '\n')); err != nil {
		return fmt.Errorf("write the kill matrix: %w", err)
	}
	return nil
}

// head returns the first line of a part for o.
func (o Options) head() (results.KillPartHead, error) {
	o = o.withDefaults()
	asked, err := o.asked()
	if err != nil {
		return results.KillPartHead{}, err
	}
	head := results.KillPartHead{
		Line: results.KillPartHeadLineHead, Schema: results.KillPartHeadSchemaAssayKillPart1, Seed: o.Seed,
		Depth:      results.KillPartHeadDepth(depthWord(o.Depth)),
		PatienceMs: max(1, o.Patience.Milliseconds()),
		Suites:     append([]string{}, o.Select.Suites...), Scenarios: append([]string{}, o.Select.Scenarios...),
		Protocols: []results.KillPartProtocol{},
	}
	for _, protocol := range protocols.Values() {
		if _, ok := asked[protocol]; !ok {
			continue
		}
		profiles := profilesDigest(protocol)
		of := results.KillPartProtocol{Protocol: protocol.ID, Digest: digest(protocol, o.Depth), Profiles: &profiles}
		for _, h := range o.Hosts {
			if h.Protocol() == protocol {
				of.Hosts = append(of.Hosts, h.Name)
			}
		}
		if len(of.Hosts) > 0 {
			head.Protocols = append(head.Protocols, of)
		}
	}
	if len(head.Protocols) == 0 {
		return results.KillPartHead{}, scenarios.ErrNothingSelected
	}
	return head, nil
}

// hostsIn returns the set of the hosts in a head.
func hostsIn(head results.KillPartHead) map[string]bool {
	names := map[string]bool{}
	for _, protocol := range head.Protocols {
		for _, host := range protocol.Hosts {
			names[host] = true
		}
	}
	return names
}

// differ names the first difference of two heads, or "".
func differ(a, b results.KillPartHead) string {
	switch {
	case a.Seed != b.Seed:
		return "--seed"
	case a.Depth != b.Depth:
		return "--depth"
	case a.PatienceMs != b.PatienceMs:
		return "--patience"
	case !slices.Equal(a.Suites, b.Suites):
		return "--suite"
	case !slices.Equal(a.Scenarios, b.Scenarios):
		return "--scenario"
	case len(a.Protocols) != len(b.Protocols):
		return "protocols"
	}
	for i, p := range a.Protocols {
		switch q := b.Protocols[i]; {
		case p.Protocol != q.Protocol:
			return "protocols"
		case p.Digest != q.Digest:
			return "faults or scenarios of " + p.Protocol
		case !reflect.DeepEqual(p.Profiles, q.Profiles):
			return "profiles of " + p.Protocol
		case !slices.Equal(p.Hosts, q.Hosts):
			return "hosts of " + p.Protocol
		}
	}
	return ""
}

// readPart reads the part in a folder. whole counts the bytes of its complete lines.
func readPart(dir string) (p *Part, whole int64, err error) {
	path := filepath.Join(dir, PartName)
	raw, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, 0, fmt.Errorf("%w in %s", ErrNoPart, dir)
	}
	if err != nil {
		return nil, 0, fmt.Errorf("read the kill matrix: %w", err)
	}
	end := bytes.LastIndexByte(raw, '\n') + 1
	p, err = parsePart(raw[:end])
	if err != nil {
		return nil, 0, fmt.Errorf("read %s: %w: start again without --resume", path, err)
	}
	return p, int64(end), nil
}

// parsePart reads complete lines from an untrusted source.
func parsePart(raw []byte) (*Part, error) {
	if len(raw) == 0 {
		return nil, errors.New("it has no first line")
	}
	schema, err := partSchema()
	if err != nil {
		return nil, err
	}
	p := &Part{done: map[string]Result{}}
	var known map[string]bool
	for i, line := range bytes.Split(bytes.TrimSuffix(raw, []byte("\n")), []byte("\n")) {
		if problems := schema.Validate(line); len(problems) > 0 {
			return nil, fmt.Errorf("line %d: %s", i+1, problems[0])
		}
		if i == 0 {
			if err := json.Unmarshal(line, &p.head); err != nil || p.head.Line != results.KillPartHeadLineHead {
				return nil, errors.New("line 1: it is not a head")
			}
			known = hostsIn(p.head)
			continue
		}
		var h results.KillPartHost
		if err := json.Unmarshal(line, &h); err != nil {
			return nil, fmt.Errorf("line %d: %w", i+1, err)
		}
		if !known[h.Host] || (h.Honest == nil) == (h.Fault == nil) {
			return nil, fmt.Errorf("line %d: %q is not a host of the first line that is done", i+1, h.Host)
		}
		p.done[h.Host] = Result{Honest: h.Honest, Fault: h.Fault}
	}
	return p, nil
}

var partSchema = sync.OnceValues(func() (*validate.Schema, error) {
	set, err := validate.New(results.Bundled())
	if err != nil {
		return nil, err
	}
	return set.Component("KillPart")
})
