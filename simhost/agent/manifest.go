package agent

import (
	"bytes"
	_ "embed"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"go.yaml.in/yaml/v3"
)

// The files of a plugin folder.
const (
	ManifestFile   = "manifest.yaml"
	ProfileFile    = "assay-plugin.yaml"
	EntrypointFile = "run.sh"
)

//go:embed plugin/manifest.yaml
var manifest []byte

//go:embed plugin/assay-plugin.yaml
var profile []byte

// ReadName is the plugin's name as a manifest has it.
func ReadName(manifest []byte) (string, error) {
	var m struct {
		Name string `yaml:"name"`
	}
	if err := yaml.Unmarshal(manifest, &m); err != nil {
		return "", fmt.Errorf("read the manifest: %w", err)
	}
	if m.Name == "" {
		return "", fmt.Errorf("read the manifest: it names no plugin: give it a name")
	}
	return m.Name, nil
}

// Revisions are the revisions of the protocol that a plugin folder can be written for. The first knows workspaces.
var Revisions = []string{"2026-02", "2026-06"}

// Export writes a plugin folder: the manifest, a profile for certification, and an executable that starts program with these
// arguments, and says where the manifest is. Files of these names are replaced. revision is one of Revisions.
func Export(dir, revision, program string, arguments ...string) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	described := bytes.Replace(profile, []byte("revision: 2026-02"), []byte("revision: "+revision), 1)
	if revision != Revisions[0] {
		described = bytes.Replace(described, []byte("  - workspace\n"), nil, 1)
	}
	script := "#!/bin/sh\nexec"
	for _, word := range append([]string{program}, arguments...) {
		script += " " + shellQuoted(word)
	}
	script += ` --manifest "$(dirname "$0")/` + ManifestFile + "\"\n"
	for _, f := range []struct {
		name    string
		content []byte
		mode    os.FileMode
	}{{ManifestFile, manifest, 0o644}, {ProfileFile, described, 0o644}, {EntrypointFile, []byte(script), 0o755}} {
		name := filepath.Join(dir, f.name)
		if err := os.WriteFile(name, f.content, f.mode); err != nil {
			return err
		}
		if err := os.Chmod(name, f.mode); err != nil { // of a file that was there before
			return err
		}
	}
	return nil
}

func shellQuoted(word string) string { return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'" }
