package scenarios_test

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"testing/fstest"
	"time"

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
	c, err := scenarios.Certify(t.Context(), wire.Target{URL: toyHost(t, `{"counts":true}`)}, scenarios.Options{Seed: 7, Build: "v1"}, s)
	if err != nil {
		t.Fatal(err)
	}
	r := c.Finish(context.Background())
	return r, transcripts(t, r), s
}

// transcripts are those of a report, as a bundle holds them.
func transcripts(t *testing.T, r *scenarios.Report) fstest.MapFS {
	t.Helper()
	files := fstest.MapFS{}
	for _, d := range r.Drives {
		raw, err := scenarios.MarshalTranscript(d)
		if err != nil {
			t.Fatal(err)
		}
		files[scenarios.TranscriptName(d.ID)] = &fstest.MapFile{Data: raw}
	}
	return files
}

func given(r *scenarios.Report) scenarios.Given {
	return scenarios.Given{Address: r.Address, Started: r.Started, Seconds: r.Seconds, Seed: r.Seed, RunID: r.RunID,
		Leftovers: r.Leftovers}
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

// A drive's names follow from the run id, which follows from the seed, the build and the start.
func TestNames(t *testing.T) {
	r, files, s := kept(t)
	again, err := scenarios.Derive(files, given(r), s)
	if err != nil {
		t.Fatal(err)
	}
	if r.RunID.Given || r.RunID.ID != scenarios.DrawRunID(7, "v1", "", r.Started) {
		t.Errorf("the run id is %+v", r.RunID)
	}
	names := 0
	for _, d := range again.Drives {
		n, err := d.Names(r.RunID.ID)
		if err != nil {
			t.Error(err)
		}
		names += n
		for _, other := range []string{scenarios.DrawRunID(8, "v1", "", r.Started),
			scenarios.DrawRunID(7, "v2", "", r.Started), scenarios.DrawRunID(7, "v1", "another", r.Started),
			scenarios.DrawRunID(7, "v1", "", r.Started.Add(time.Microsecond))} {
			if _, err := d.Names(other); (err != nil) != (n > 0) {
				t.Errorf("%s as one of the run %s: %v", d.ID, other, err)
			}
		}
	}
	if names != 1 {
		t.Errorf("%d names were found", names)
	}
}

// What looks like a name and was told by the target before is the target's.
func TestNamesOfTheTarget(t *testing.T) {
	theirs := scenarios.DrawRunID(1, "", "", time.Time{})
	entry := func(path, reply string) wire.Entry {
		return wire.Entry{Kind: "http", Request: &wire.Request{Method: "GET", URL: "http://host.test/" + path},
			Response: &wire.Response{Status: 200, Body: reply}}
	}
	for _, c := range []struct {
		entries []wire.Entry
		foreign bool
	}{
		{[]wire.Entry{entry("", `{"id":"`+theirs+`"}`), entry(theirs, "")}, false},
		{[]wire.Entry{entry(theirs, `{"id":"`+theirs+`"}`)}, true},
	} {
		d := scenarios.DriveRecord{ID: "d", Transcript: &wire.Transcript{Drive: "d", Entries: c.entries}}
		if _, err := d.Names("a-run"); (err != nil) != c.foreign {
			t.Errorf("%+v: %v", c.entries, err)
		}
	}
}

// An operator may give the run id: then things are called the same at another start.
func TestAGivenRunID(t *testing.T) {
	var paths []string
	for range 2 {
		named := &scenarios.Drive[counted]{ID: "named", Run: func(ctx context.Context, c *scenarios.Conn, o *counted) {
			path := "/count?of=" + c.Name("thing") + "&for=" + c.Label()
			paths = append(paths, path)
			*o = counted{c.Do(ctx, wire.Call{Method: "GET", Path: path}).Value("/n")}
		}}
		r := certify(t, scenarios.Options{Seed: 7, RunID: "ours"}, one("named", counts, scenarios.Ask(named, is(3, "TOY-1")), "TOY-1"))
		if r.RunID != (scenarios.RunID{ID: "ours", Given: true}) {
			t.Errorf("the run id is %+v", r.RunID)
		}
	}
	if paths[0] != paths[1] {
		t.Error(paths)
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
