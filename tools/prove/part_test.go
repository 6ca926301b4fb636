package prove_test

import (
	"context"
	"errors"
	"hash/fnv"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/openassay/assay/gen/results"
	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/tools/internal/protocols"
	"github.com/openassay/assay/tools/prove"
)

// chance certifies no host: what comes of it depends on its name alone.
func chance(_ context.Context, h prove.Host, _ scenarios.Options) (*scenarios.Report, error) {
	sum := fnv.New32a()
	sum.Write([]byte(h.Name))
	asked := counts
	if sum.Sum32()%2 == 0 {
		asked = asks
	}
	r := &scenarios.Report{Outcomes: []scenarios.Outcome{{Scenario: asked, Verdict: scenarios.Passed}}}
	if h.Fault != nil && sum.Sum32()%3 > 0 {
		r.Outcomes = append(r.Outcomes, failed(asked, h.Fault.Breaks[0]))
	}
	return r, nil
}

// drawn is a selection of all hosts.
func drawn(t *rapid.T) prove.Options {
	all := prove.Hosts()
	var hosts []prove.Host
	from := rapid.IntRange(0, 7).Draw(t, "first")
	for i := from; i < len(all); i += rapid.IntRange(20, 300).Draw(t, "step") {
		hosts = append(hosts, all[i])
	}
	return prove.Options{Hosts: hosts, Seed: rapid.Uint64().Draw(t, "seed"), Certify: chance}
}

var errStopped = errors.New("stopped")

// proveInto proves with a part in dir, and stops after some hosts: never where that is negative.
func proveInto(t *rapid.T, dir string, o prove.Options, resume bool, after int) (results.KillMatrix, error) {
	open := prove.CreatePart
	if resume {
		open = prove.ResumePart
	}
	part, err := open(dir, o)
	if err != nil {
		t.Fatal(err)
	}
	defer part.Close()
	o.Done = part.Done()
	o.Progress = func(host string, r prove.Result) error {
		if after == 0 {
			return errStopped
		}
		after--
		return part.Keep(host, r)
	}
	return lab.Prove(context.Background(), o)
}

// tornAt cuts a part off in the middle of its last line, as a crash may.
func tornAt(t *rapid.T, dir string) {
	path := filepath.Join(dir, prove.PartName)
	raw, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	last := strings.LastIndex(strings.TrimSuffix(string(raw), "\n"), "\n") + 1
	if last == 0 {
		return // only the head is there, and was written before any host was asked
	}
	if err := os.WriteFile(path, raw[:rapid.IntRange(last, len(raw)).Draw(t, "torn at")], 0o600); err != nil {
		t.Fatal(err)
	}
}

// However often a proof is stopped, and wherever its part is cut off: gone on with, it ends in the same matrix.
func TestAResumedProofIsTheSame(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		o, dir := drawn(t), tempDir(t)
		whole, err := lab.Prove(context.Background(), o)
		if err != nil {
			t.Fatal(err)
		}
		resume := false
		for range rapid.IntRange(0, 3).Draw(t, "stops") {
			if _, err := proveInto(t, dir, o, resume, rapid.IntRange(0, len(o.Hosts)-1).Draw(t, "after")); err == nil {
				break // so few were left
			} else if !errors.Is(err, errStopped) {
				t.Fatal(err)
			}
			tornAt(t, dir)
			resume = true
		}
		got, err := proveInto(t, dir, o, resume, -1)
		if err != nil {
			t.Fatal(err)
		}
		same(t, whole, got)
	})
}

// Shards in any order make the whole, and not without the last of them.
func TestMergedShardsAreTheWhole(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		o := drawn(t)
		whole, err := lab.Prove(context.Background(), o)
		if err != nil {
			t.Fatal(err)
		}
		var dirs []string
		of := rapid.IntRange(2, min(4, len(o.Hosts))).Draw(t, "shards")
		for i := range of {
			dir := tempDir(t)
			o.Shard = prove.Shard{I: i + 1, Of: of}
			var unfinished *prove.UnfinishedError
			if _, err := proveInto(t, dir, o, false, -1); !errors.As(err, &unfinished) {
				t.Fatalf("a shard ends with %v", err)
			}
			dirs = append(dirs, dir)
		}
		dirs = rapid.Permutation(dirs).Draw(t, "order")
		var unfinished *prove.UnfinishedError
		if _, err := merged(t, dirs[1:]); !errors.As(err, &unfinished) {
			t.Errorf("without one shard: %v", err)
		}
		got, err := merged(t, dirs)
		if err != nil {
			t.Fatal(err)
		}
		same(t, whole, got)
	})
}

func merged(t *rapid.T, dirs []string) (results.KillMatrix, error) {
	part, err := prove.MergeParts(dirs...)
	if err != nil {
		t.Fatal(err)
	}
	o, err := part.Options()
	if err != nil {
		t.Fatal(err)
	}
	return o.Whole()
}

// same compares what is written of two matrices, byte for byte.
func same(t *rapid.T, want, got results.KillMatrix) {
	dir := tempDir(t)
	if err := prove.Write(dir, want); err != nil {
		t.Fatal(err)
	}
	if err := prove.Check(dir, got); err != nil {
		t.Error(err)
	}
}

func tempDir(t *rapid.T) string {
	dir, err := os.MkdirTemp("", "assay-part-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	return dir
}

// A part goes with what it was started with, and is not taken for anything else.
func TestPartsThatDoNotFit(t *testing.T) {
	hosts := prove.Hosts()
	o := prove.Options{Hosts: hosts[:3], Seed: 1}
	for name, c := range map[string]struct {
		spoil func(part string) string
		asked prove.Options
		want  string
	}{
		"another seed":     {nil, prove.Options{Hosts: hosts[:3], Seed: 2}, "other --seed"},
		"another patience": {nil, prove.Options{Hosts: hosts[:3], Seed: 1, Patience: 1}, "other --patience"},
		"another suite": {nil, prove.Options{Hosts: hosts[:3], Seed: 1, Select: scenarios.Selection{Suites: []string{"replay"}}},
			"other --suite"},
		"another scenario": {nil, prove.Options{Hosts: hosts[:3], Seed: 1,
			Select: scenarios.Selection{Scenarios: []string{string(counts.ID)}}}, "other --scenario"},
		"another host":     {nil, prove.Options{Hosts: hosts[:2], Seed: 1}, "other hosts of openwop/v1"},
		"another protocol": {nil, prove.Options{Hosts: prove.Honest(protocols.Named("openintent"))[:1], Seed: 1}, "other protocols"},
		"other faults": {func(s string) string { return digests.ReplaceAllString(s, "sha256:"+strings.Repeat("0", 64)) }, o,
			"other faults or scenarios of openwop/v1"},
		"empty":   {func(string) string { return "" }, o, "it has no first line"},
		"no JSON": {func(string) string { return "{\n" }, o, "line 1"},
		"no head": {func(string) string {
			return `{"line":"host","host":"honest","honest":{"host":"honest","accused":[]}}` + "\n"
		}, o, "line 1: it is not a head"},
		"a host of elsewhere": {func(s string) string {
			return s + `{"line":"host","host":"x","honest":{"host":"x","accused":[]}}` + "\n"
		}, o, `line 2: "x" is not a host of the first line`},
		"a host that is not done": {func(s string) string { return s + `{"line":"host","host":"honest"}` + "\n" }, o,
			`line 2: "honest" is not a host of the first line that is done`},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			part, err := prove.CreatePart(dir, o)
			if err != nil {
				t.Fatal(err)
			}
			if err := part.Close(); err != nil {
				t.Fatal(err)
			}
			path := filepath.Join(dir, prove.PartName)
			if c.spoil != nil {
				raw, err := os.ReadFile(path)
				if err != nil {
					t.Fatal(err)
				}
				if err := os.WriteFile(path, []byte(c.spoil(string(raw))), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			if _, err := prove.ResumePart(dir, c.asked); err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("error is %v, want %q in it", err, c.want)
			}
		})
	}
}

var digests = regexp.MustCompile("sha256:[0-9a-f]{64}")

func TestThereIsNoPart(t *testing.T) {
	if _, err := prove.ResumePart(t.TempDir(), prove.Options{Hosts: prove.Hosts()[:1]}); !errors.Is(err, prove.ErrNoPart) {
		t.Errorf("error is %v", err)
	}
}
