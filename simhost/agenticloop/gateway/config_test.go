package gateway

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func file(t testing.TB, name, content string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, []byte(content), 0o644); err != nil {
		t.Fatal(err)
	}
	return path
}

// The text's own form.
const textPipelines = `pipelines:
  - name: agentic-tool-fetch
    on: agentic.tool_request.jina-reader
    steps:
      - id: fetch
        uses: jina-reader
      - id: resume
        uses: agentic-loop
plugins:
  agentic-loop:
    schedule: null
    timeouts:
      handle: 90s
    config:
      max_steps: 20
      allowed_plugins: [fetch, fabric, jina-reader]
`

func TestLoadConfig(t *testing.T) {
	c, err := LoadConfig(file(t, "a.yaml", textPipelines), file(t, "empty.yaml", "# nothing\n"))
	if err != nil {
		t.Fatal(err)
	}
	if len(c.Pipelines) != 1 || len(c.Pipelines[0].Steps) != 2 || c.Pipelines[0].On != "agentic.tool_request.jina-reader" ||
		c.Pipelines[0].Steps[1].Uses != "agentic-loop" {
		t.Errorf("%+v", c.Pipelines)
	}
	s := c.Settings["agentic-loop"]
	if s.Timeout != 90*time.Second || string(s.Config) != `{"allowed_plugins":["fetch","fabric","jina-reader"],"max_steps":20}` {
		t.Errorf("%v %s", s.Timeout, s.Config)
	}
}

func TestConfigMistakes(t *testing.T) {
	plugins := []Plugin{InProcessPlugin("jina-reader"), InProcessPlugin("agentic-loop"), {Name: "poller", Commands: []string{"poll"}}}
	for _, test := range []struct {
		name, yaml string
		want       []string // after the file's name
	}{
		{"not YAML", "pipelines: [", []string{": yaml: line 1: did not find expected node content"}},
		{"two documents", "pipelines: []\n---\n", []string{": write one document into the file"}},
		{"a list", "- a\n", []string{":1: the file is a mapping"}},
		{"an unknown key", "pipelines: []\npipeline: []\n", []string{`:2: the file has no "pipeline" (did you mean "pipelines"?)`}},
		{"a key twice", "pipelines: []\npipelines: []\n", []string{`:2: the file has "pipelines" twice`}},
		{"no list", "pipelines: {}\n", []string{":1: pipelines is a list"}},
		{"no name", "pipelines:\n  - on: a\n    steps: [{id: s, uses: jina-reader}]\n", []string{":2: a pipeline has a name"}},
		{"no on", "pipelines:\n  - name: a\n    steps: [{id: s, uses: jina-reader}]\n", []string{`:2: pipeline "a" is on nothing`}},
		{"no steps", "pipelines:\n  - name: a\n    on: b\n", []string{`:2: pipeline "a" has no steps`}},
		{"no uses", "pipelines:\n  - name: a\n    on: b\n    steps:\n      - id: s\n", []string{`:5: step "s" uses nothing`}},
		{"an empty word", "pipelines:\n  - name: ''\n    on: b\n", []string{":2: the name of a pipeline is a word"}},
		{"a number", "pipelines:\n  - name: 7\n", []string{":2: the name of a pipeline is a word"}},
		{"steps of one id", "pipelines:\n  - name: a\n    on: b\n    steps:\n      - {id: s, uses: jina-reader}\n      - {id: " +
			"s, uses: jina-reader}\n", []string{`:6: the pipeline has a step "s" already`}},
		{"pipelines of one name", "pipelines:\n  - &p {name: a, on: b, steps: [{id: s, uses: jina-reader}]}\n  - *p\n",
			[]string{`there is a pipeline "a" at`}},
		{"a misspelt step", "pipelines:\n  - name: a\n    on: b\n    steps: [{id: s, use: jina-reader}]\n",
			[]string{`:4: a step has no "use" (did you mean "uses"?)`}},
		{
			"unknown plugins", "pipelines:\n  - name: a\n    on: b\n    steps:\n      - id: s\n        uses: jina-raeder\n      - " +
				"id: r\n        uses: nobody\n",
			[]string{
				`:6: step "s" of pipeline "a" uses plugin "jina-raeder", which is not loaded (did you mean "jina-reader"?): loaded is jina-reader, agentic-loop, poller`,
				`:8: step "r" of pipeline "a" uses plugin "nobody", which is not loaded: loaded is`,
			},
		},
		{"no handle", "pipelines:\n  - name: a\n    on: b\n    steps: [{id: s, uses: poller}]\n",
			[]string{`:4: step "s" of pipeline "a" uses plugin "poller", which has no command handle`}},
		{"settings of nobody", "plugins:\n  nobody: {}\n", []string{`:2: settings are for plugin "nobody", which is not loaded`}},
		{"a schedule", "plugins:\n  jina-reader: {schedule: 5m}\n", []string{":2: this gateway polls nothing"}},
		{"a bad timeout", "plugins:\n  jina-reader: {timeouts: {handle: soon}}\n", []string{":2: a timeout is a duration"}},
		{"a timeout of poll", "plugins:\n  jina-reader: {timeouts: {poll: 1s}}\n", []string{`:2: timeouts has no "poll"`}},
		{"config that is none", "plugins:\n  jina-reader: {config: [a]}\n", []string{":2: config is a mapping"}},
		{"config that is no JSON", "plugins:\n  jina-reader: {config: {a: {1: 2}}}\n", []string{":2: config cannot be written as JSON"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			path := file(t, "pipelines.yaml", test.yaml)
			c, err := LoadConfig(path)
			if err == nil {
				err = c.check(plugins)
			}
			if err == nil {
				t.Fatal("it was loaded")
			}
			for _, want := range test.want {
				if !strings.Contains(err.Error(), want) {
					t.Errorf("%s: %v", want, err)
				}
			}
			if !strings.Contains(err.Error(), path) {
				t.Errorf("the file is not named: %v", err)
			}
		})
	}
	if _, err := LoadConfig(filepath.Join(t.TempDir(), "missing.yaml")); err == nil || !strings.Contains(err.Error(), "missing.yaml") {
		t.Errorf("%v", err)
	}
	if _, err := LoadConfig(file(t, "large.yaml", strings.Repeat("# long\n", maxFile))); err == nil || !strings.Contains(err.Error(),
		"larger than") {
		t.Errorf("%v", err)
	}
}

func FuzzLoadConfig(f *testing.F) {
	f.Add(textPipelines)
	f.Add("a: &a [*a]\n")
	f.Add("plugins: {a: {config: {<<: {b: 1}}}}\n")
	f.Fuzz(func(t *testing.T, content string) {
		path := file(t, "f.yaml", content)
		c, err := LoadConfig(path)
		if err != nil && !strings.Contains(err.Error(), path) {
			t.Errorf("the file is not named: %v", err)
		}
		for _, p := range c.Pipelines {
			if p.Name == "" || p.On == "" || len(p.Steps) == 0 {
				t.Errorf("%+v", p)
			}
		}
	})
}

// plugin makes a plugin folder.
func plugin(t testing.TB, dir, manifest, script string) string {
	t.Helper()
	if err := os.MkdirAll(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	for name, content := range map[string]string{ManifestName: manifest, "run.sh": "#!/bin/sh\n" + script + "\n"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(content), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

const (
	firstEra = "name: NAME\nversion: 1.0.0\nprotocol: 2\nentrypoint: run.sh\ncommands: [poll, handle]\nconfig_keys: {required: [token]}\n"
	laterEra = "manifest_spec: ductile.plugin\nmanifest_version: 1\nname: NAME\nversion: 1.0.0\nprotocol: 2\nentrypoint: " +
		"./run.sh\nconcurrency_safe: false\n" +
		"commands:\n  - {name: handle, type: write, values: {consume: [url], emit: [{event: content_ready, values: [content]}]}}\n"
)

func named(manifest, name string) string { return strings.Replace(manifest, "NAME", name, 1) }

func TestLoadPlugins(t *testing.T) {
	dir := t.TempDir()
	plugin(t, filepath.Join(dir, "a"), named(firstEra, "first"), "")
	plugin(t, filepath.Join(dir, "b"), named(laterEra, "later"), "")
	if err := os.Mkdir(filepath.Join(dir, "notes"), 0o755); err != nil {
		t.Fatal(err)
	}
	got, err := LoadPlugins(dir)
	if err != nil {
		t.Fatal(err)
	}
	base, err := filepath.EvalSymlinks(dir)
	if err != nil {
		t.Fatal(err)
	}
	want := []Plugin{
		{Name: "first", Version: "1.0.0", Entrypoint: filepath.Join(base, "a/run.sh"), Commands: []string{"poll", "handle"},
			required: []string{"token"}, dir: filepath.Join(dir, "a")},
		{Name: "later", Version: "1.0.0", Entrypoint: filepath.Join(base, "b/run.sh"), Commands: []string{"handle"}, Serial: true,
			dir: filepath.Join(dir, "b")},
	}
	if diff := cmp.Diff(want, got, cmp.AllowUnexported(Plugin{})); diff != "" {
		t.Error(diff)
	}
	var c Config
	if err := c.check(got); err == nil || !strings.Contains(err.Error(), `plugin "first" cannot do without config key "token"`) {
		t.Errorf("%v", err)
	}
	if one, err := LoadPlugins(filepath.Join(dir, "b")); err != nil || len(one) != 1 {
		t.Errorf("%v, %v", one, err)
	}
}

func TestPluginMistakes(t *testing.T) {
	for _, test := range []struct {
		name   string
		spoil  func(t *testing.T, dir string) error
		change string // of the manifest: old=new
		want   string
	}{
		{name: "no folder", spoil: func(_ *testing.T, dir string) error { return os.RemoveAll(dir) }, want: "no such file"},
		{name: "no manifest", spoil: func(_ *testing.T, dir string) error { return os.Remove(filepath.Join(dir, ManifestName)) },
			want: "has a manifest.yaml"},
		{name: "an empty manifest", spoil: func(_ *testing.T, dir string) error {
			return os.Truncate(filepath.Join(dir, ManifestName), 0)
		}, want: "is empty"},
		{name: "another protocol", change: "protocol: 2=protocol: 3", want: "manifest.yaml: protocol: "},
		{name: "no commands", change: "commands: [poll, handle]=commands: []", want: "manifest.yaml: commands: "},
		{name: "a path out", change: "run.sh=../run.sh", want: "manifest.yaml: entrypoint: "},
		{name: "no program", spoil: func(_ *testing.T, dir string) error { return os.Remove(filepath.Join(dir, "run.sh")) },
			want: `entrypoint "run.sh" is not there`},
		{name: "not executable", spoil: func(_ *testing.T, dir string) error { return os.Chmod(filepath.Join(dir, "run.sh"), 0o644) },
			want: "chmod +x"},
		{name: "a folder", change: "entrypoint: run.sh=entrypoint: .", want: "no program"},
		{name: "a link out", spoil: func(t *testing.T, dir string) error {
			path := filepath.Join(dir, "run.sh")
			if err := os.Remove(path); err != nil {
				return err
			}
			return os.Symlink(file(t, "elsewhere", "#!/bin/sh\n"), path)
		}, want: "leads out of"},
		{name: "open to all", spoil: func(_ *testing.T, dir string) error { return os.Chmod(dir, 0o777) }, want: "everybody may write to"},
	} {
		t.Run(test.name, func(t *testing.T) {
			old, changed, _ := strings.Cut(test.change, "=")
			dir := plugin(t, filepath.Join(t.TempDir(), "p"), strings.Replace(named(firstEra, "p"), old, changed, 1), "")
			if test.spoil != nil {
				if err := test.spoil(t, dir); err != nil {
					t.Fatal(err)
				}
			}
			if p, err := LoadPlugins(dir); err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("%+v, %v", p, err)
			}
		})
	}
	twice := t.TempDir()
	plugin(t, filepath.Join(twice, "a"), named(firstEra, "same"), "")
	plugin(t, filepath.Join(twice, "b"), named(firstEra, "same"), "")
	if _, err := LoadPlugins(twice); err == nil || !strings.Contains(err.Error(), `there is a plugin "same" in`) {
		t.Errorf("%v", err)
	}
}
