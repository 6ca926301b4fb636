package agent

import (
	"bytes"
	_ "embed"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
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

// Declarable are the capabilities and the seams that a profile can leave off.
func Declarable() []string {
	return []string{
		"redelivery", "context-delivery", "context-budget", "retry", "reframe", "workspace", "completed-steps",
		"context_steering", "scripted_config", "mock_llm",
	}
}

// Profile is what a plugin folder says of its agent. The zero Profile is of the first revision, with all that there is.
type Profile struct {
	Revision string   // one of Revisions
	Without  []string // of Declarable: what it does not say

	// Manifest is what its manifest becomes; it stays as it is unless given.
	Manifest func(manifest []byte) []byte
}

// declared is the manifest as its file has it.
func (p Profile) declared() []byte {
	if p.Manifest != nil {
		return p.Manifest(manifest)
	}
	return manifest
}

// text is the profile as its file has it.
func (p Profile) text() []byte {
	without := p.Without
	text := profile
	if p.Revision != "" && p.Revision != Revisions[0] {
		text = bytes.Replace(text, []byte("revision: "+Revisions[0]), []byte("revision: "+p.Revision), 1)
		without = append([]string{"workspace"}, without...)
	}
	var out []byte
	dropping := false
	for line := range bytes.Lines(text) {
		name, isItem := bytes.CutPrefix(line, []byte("  - "))
		if !isItem {
			name, isItem = bytes.CutPrefix(line, []byte("  "))
		}
		if !isItem || !bytes.HasPrefix(name, []byte(" ")) { // what is indented deeper belongs to what stands above
			dropping = isItem && slices.Contains(without, string(bytes.TrimRight(name, ":\n")))
		}
		if !dropping {
			out = append(out, line...)
		}
	}
	// A key of which nothing is left would be null.
	for _, key := range []string{"capabilities", "seams"} {
		out = emptyKey(key).ReplaceAll(out, []byte("$1"))
	}
	return out
}

// emptyKey matches a key at the left margin that nothing is below of.
func emptyKey(key string) *regexp.Regexp { return regexp.MustCompile(`(?m)^` + key + `:\n([^ ]|\z)`) }

// Export writes a plugin folder: the manifest, a profile for certification, and an executable that starts program with these
// arguments, and says where the manifest is. Files of these names are replaced.
func Export(dir string, p Profile, program string, arguments ...string) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	var script strings.Builder
	script.WriteString("#!/bin/sh\nexec")
	for _, word := range append([]string{program}, arguments...) {
		script.WriteString(" " + shellQuoted(word))
	}
	script.WriteString(` --manifest "$(dirname "$0")/` + ManifestFile + "\"\n")
	for _, f := range []struct {
		name    string
		content []byte
		mode    os.FileMode
	}{{ManifestFile, p.declared(), 0o644}, {ProfileFile, p.text(), 0o644}, {EntrypointFile, []byte(script.String()), 0o755}} {
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
