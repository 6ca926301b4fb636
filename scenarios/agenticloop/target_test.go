package agenticloop

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestAFolderIsATarget(t *testing.T) {
	const manifest = "name: loop\nversion: \"1\"\nprotocol: 2\nentrypoint: bin/run.sh\ncommands: [handle]\n"
	for name, c := range map[string]struct {
		files   map[string]string
		command string // below the folder
		dir     string
		wrong   string // in the error
	}{
		"a manifest alone": {map[string]string{"manifest.yaml": manifest}, "bin/run.sh", "", ""},
		"a profile": {
			map[string]string{"assay-plugin.yaml": "assay_plugin: 1\ncommand: [./x, run]\nrevision: " +
				"2026-06\nworking_folder: w\n"}, "x", "w", ""},
		"a profile's manifest": {
			map[string]string{"assay-plugin.yaml": "assay_plugin: 1\nmanifest: m.yaml\nrevision: 2026-02\n",
				"m.yaml": manifest}, "bin/run.sh", "", ""},
		"an unknown word": {map[string]string{
			"assay-plugin.yaml": "assay_plugin: 1\ncommand: [x]\nrevision: 2026-02\nlimit: {}\n"}, "", "", "limit"},
		"an unknown revision": {map[string]string{
			"assay-plugin.yaml": "assay_plugin: 1\ncommand: [x]\nrevision: 2025-01\n"}, "", "", "revision: must be"},
		"no command": {map[string]string{"assay-plugin.yaml": "assay_plugin: 1\nrevision: 2026-02\n"},
			"", "", "assay-plugin.yaml"},
		"no YAML": {map[string]string{"assay-plugin.yaml": "assay_plugin: [1\n"}, "", "", "line 1"},
		"a list":  {map[string]string{"assay-plugin.yaml": "- 1\n"}, "", "", "assay-plugin.yaml"},
		"two documents": {map[string]string{"assay-plugin.yaml": "assay_plugin: 1\n---\nassay_plugin: 1\n"},
			"", "", "more than one document"},
		"a key that is no text": {
			map[string]string{
				"assay-plugin.yaml": "assay_plugin: 1\ncommand: [x]\nrevision: 2026-02\nconfig: {a: {1: x}}\n"}, "",
			"", "keys are texts"},
		"an entrypoint outside": {
			map[string]string{"manifest.yaml": strings.ReplaceAll(manifest, "bin/run.sh", "../run.sh")}, "",
			"", "names no entrypoint below"},
		"a huge file": {map[string]string{"manifest.yaml": strings.Repeat("# and so on\n", 100_000)}, "",
			"", "longer than"},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			for file, text := range c.files {
				if err := os.WriteFile(filepath.Join(dir, file), []byte(text), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			if !IsPlugin(dir) {
				t.Error("it is not taken for a plugin")
			}
			target, err := Folder(dir)
			if c.wrong != "" {
				if err == nil || !strings.Contains(err.Error(), c.wrong) {
					t.Errorf("error %v, want one with %q", err, c.wrong)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			p := target.Process
			if p.Command[0] != filepath.Join(dir, c.command) {
				t.Errorf("command %q", p.Command)
			}
			if want := filepath.Join(dir, c.dir); c.dir != "" && p.Dir != want || c.dir == "" && p.Dir != "" {
				t.Errorf("it starts in %q", p.Dir)
			}
			var said struct{ Profile map[string]any }
			if err := json.Unmarshal(p.Declared, &said); err != nil || said.Profile["assay_plugin"] != 1.0 {
				t.Errorf("declared %s: %v", p.Declared, err)
			}
		})
	}
	if IsPlugin(t.TempDir()) {
		t.Error("an empty folder is taken for a plugin")
	}
}

func TestACommandIsATarget(t *testing.T) {
	target, err := Exec([]string{"python3", "run.py"})
	if err != nil {
		t.Fatal(err)
	}
	here, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	if p := target.Process; p.Name != "python3 run.py" || p.Dir != here || p.Command[0] != "python3" {
		t.Errorf("%+v", p)
	}
	if _, err := Exec(nil); err == nil {
		t.Error("no command is a target")
	}
}

func TestTheManifestIsComparedWithItsSchema(t *testing.T) {
	const sound = `{"name":"x","version":"1","protocol":2,"entrypoint":"run","commands":["handle"]}`
	if got := checkDeclared([]byte(`{"profile":{},"manifest":` + sound + `}`)); len(got) != 0 {
		t.Errorf("a sound manifest: %v", got)
	}
	if got := checkDeclared([]byte(`{"profile":{},"manifest":{"name":"x","protocol":3}}`)); len(got) == 0 {
		t.Error("a manifest that lacks most is not told")
	}
	if got := checkDeclared([]byte(`{"profile":{}}`)); len(got) != 0 {
		t.Errorf("no manifest: %v", got)
	}
}
