package scenarios_test

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"

	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/wire"
)

// kept is a finished certification: its report, its transcripts on disk, and the suite.
func kept(t *testing.T) (*scenarios.Report, fstest.MapFS, scenarios.Suite) {
	t.Helper()
	named := &scenarios.Drive[counted]{ID: "named", Run: func(ctx context.Context, c *scenarios.Conn, o *counted) {
		r := c.Do(ctx, wire.Call{Method: "GET", Path: "/count?of=" + c.Name("thing")})
		*o = counted{r.Value("/n")}
	}}
	s := suite(
		one("holds", counts, scenarios.Ask(countDrive("d"), is(3, "TOY-1")), "TOY-1"),
		one("violated", counts, scenarios.Ask(countDrive("d"), is(4, "TOY-2")), "TOY-2"),
		one("blocked", counts, scenarios.Ask(stopDrive("e", scenarios.Block("x", "y")), is(3, "TOY-1")), "TOY-1"),
		one("unclaimed", loud, scenarios.Ask(countDrive("d"), is(3, "TOY-5")), "TOY-5"),
		one("named", counts, scenarios.Ask(named, is(3, "TOY-1")), "TOY-1"),
	)
	c, err := scenarios.Certify(t.Context(), wire.Target{URL: toyHost(t, `{"counts":true}`)}, scenarios.Options{Seed: 7}, s)
	if err != nil {
		t.Fatal(err)
	}
	r := c.Finish(context.Background())
	files := fstest.MapFS{}
	for _, d := range r.Drives {
		raw, err := scenarios.MarshalTranscript(d)
		if err != nil {
			t.Fatal(err)
		}
		files[scenarios.TranscriptName(d.ID)] = &fstest.MapFile{Data: raw}
	}
	return r, files, s
}

func given(r *scenarios.Report) scenarios.Given {
	return scenarios.Given{Address: r.Address, Started: r.Started, Seconds: r.Seconds, Seed: r.Seed, Leftovers: r.Leftovers}
}

// A report can be derived from the transcripts and what is given.
func TestDerive(t *testing.T) {
	r, files, s := kept(t)
	again, err := scenarios.Derive(files, given(r), s)
	if err != nil {
		t.Fatal(err)
	}
	summary := func(r *scenarios.Report) string {
		b, err := json.MarshalIndent([]any{
			essence(r.Outcomes), r.Requirements, r.Claims, r.Profiles, r.Seen, r.DiscoveryFindings, r.DiscoveryDigest,
			r.SuiteDigest, r.ExitCode(), r.Name, r.Version, len(r.Drives),
		}, "", " ")
		if err != nil {
			t.Fatal(err)
		}
		return string(b)
	}
	if diff := cmp.Diff(summary(r), summary(again)); diff != "" {
		t.Errorf("(-certified +derived)\n%s", diff)
	}
}

// A drive's names hold the seed and the start of the certification.
func TestNames(t *testing.T) {
	r, files, s := kept(t)
	again, err := scenarios.Derive(files, given(r), s)
	if err != nil {
		t.Fatal(err)
	}
	names := 0
	for _, d := range again.Drives {
		n, err := d.Names(r.Started, 7)
		if err != nil {
			t.Error(err)
		}
		names += n
		if _, err := d.Names(r.Started, 8); (err != nil) != (n > 0) {
			t.Errorf("%s with another seed: %v", d.ID, err)
		}
		if _, err := d.Names(r.Started.Add(1e6), 7); (err != nil) != (n > 0) {
			t.Errorf("%s with another start: %v", d.ID, err)
		}
	}
	if names != 1 {
		t.Errorf("%d names were found", names)
	}
}

// The error says what no certification could have written.
func TestDeriveRefuses(t *testing.T) {
	edit := func(name, old, by string) func(fstest.MapFS) {
		return func(files fstest.MapFS) {
			files[name] = &fstest.MapFile{Data: []byte(strings.Replace(string(files[name].Data), old, by, 1))}
		}
	}
	for name, c := range map[string]struct {
		spoil func(fstest.MapFS)
		want  string
	}{
		"a drive that stops and passes": {edit("e.json", `"verdict": "blocked"`, `"verdict": "passed"`),
			`e.json: the drive stopped as "passed"`},
		"neither stopped nor observed": {edit("d.json", `"observation"`, `"observations"`),
			"d.json: the drive neither stopped nor observed anything"},
		"both stopped and observed": {edit("d.json", `"seconds"`, `"stop": {"verdict": "blocked", "reason": "x"}, "seconds"`),
			"d.json: the drive stopped, and observed something all the same"},
		"a value of an exchange that is not": {edit("d.json", `"exchange": 1`, `"exchange": 9`), "transcript of d has no exchange 9"},
		"a member more in the observation": {edit("d.json", `"n": {`, `"m": {`),
			`judging toy/counting/holds again: observation of d: json: unknown field "m"`},
		"another drive's transcript": {func(f fstest.MapFS) { f["d.json"] = f["named.json"] },
			`d.json: it is the transcript of the drive "named"`},
		"no transcript": {func(f fstest.MapFS) { delete(f, "named.json") },
			"judging toy/counting/named again: the transcript of named is missing"},
		"no discovery": {func(f fstest.MapFS) { delete(f, "discovery.json") },
			"reading the discovery document again: the transcript of discovery is missing"},
		"a discovery document that is none": {edit("discovery.json", `"body": "{`, `"body": "`),
			"holds no JSON object where the document stood"},
		"a part that its kind does not have": {edit("d.json", `"kind": "http"`, `"kind": "process"`),
			"exchange 1: an entry of kind process has no request"},
		"an unknown kind": {edit("d.json", `"kind": "http"`, `"kind": "hearsay"`),
			`exchange 1: the kind "hearsay" is unknown`},
		"another format": {edit("d.json", "assay.transcript/1", "assay.transcript/2"), `schema is "assay.transcript/2"`},
	} {
		t.Run(name, func(t *testing.T) {
			r, files, s := kept(t)
			c.spoil(files)
			_, err := scenarios.Derive(files, given(r), s)
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("%v, want %s", err, c.want)
			}
			if missing, is := errors.AsType[*scenarios.MissingError](err); is != strings.Contains(c.want, "missing") {
				t.Errorf("missing: %v", missing)
			}
		})
	}
}

// The digest of the spec changes when a requirement demands less.
func TestSpecDigest(t *testing.T) {
	weaker := *protocol
	weaker.Ledger = scenarios.NewLedger(append([]scenarios.Requirement{{ID: "TOY-1", Level: scenarios.Must,
		Claim: "counts", Evidence: "attested"}}, protocol.Ledger.Rows[1:]...))
	other := *protocol
	other.Spec = func() []byte { return []byte("{}") }
	if a, b, c := protocol.SpecDigest(), weaker.SpecDigest(), other.SpecDigest(); a == b || a == c || b == c || len(a) != 64 {
		t.Errorf("digests %s, %s, %s", a, b, c)
	}
}
