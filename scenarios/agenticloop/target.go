package agenticloop

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	yaml "go.yaml.in/yaml/v3"

	"github.com/openassay/assay/gen/agenticloopv2"
	"github.com/openassay/assay/internal/validate"
	"github.com/openassay/assay/scenarios/agenticloop/host"
	"github.com/openassay/assay/scenarios/wire"
)

// Files in the folder of a plugin: the profile says how to certify it, the manifest how to start it.
const (
	ProfileName  = host.ProfileName
	ManifestName = "manifest.yaml"
)

// IsPlugin reports whether a folder holds a plugin: a profile, or a manifest.
func IsPlugin(dir string) bool {
	for _, name := range []string{ProfileName, ManifestName} {
		if info, err := os.Stat(filepath.Join(dir, name)); err == nil && info.Mode().IsRegular() {
			return true
		}
	}
	return false
}

// Folder returns the plugin in a folder as a target, by its assay-plugin.yaml, or by its manifest alone. An error says
// which file is wrong, where, and how to mend it.
func Folder(dir string) (wire.Target, error) {
	path := filepath.Join(dir, ProfileName)
	raw, err := readYAML(path)
	if errors.Is(err, fs.ErrNotExist) {
		raw, err = json.Marshal(map[string]any{"assay_plugin": 1, "manifest": ManifestName,
			"revision": agenticloopv2.ProtocolRevisionN202602})
	}
	if err != nil {
		return wire.Target{}, err
	}
	return fromProfile(path, dir, raw)
}

// Exec returns a command as a target. It starts in the working folder, and declares nothing.
func Exec(command []string) (wire.Target, error) {
	if len(command) == 0 {
		return wire.Target{}, errors.New("no command is given: name a program and its arguments")
	}
	raw, err := json.Marshal(map[string]any{"assay_plugin": 1, "command": command, "working_folder": ".",
		"revision": agenticloopv2.ProtocolRevisionN202602})
	if err != nil {
		return wire.Target{}, err
	}
	return fromProfile("", ".", raw)
}

// fromProfile makes a target of a profile. path is its file, dir its folder.
func fromProfile(path, dir string, raw []byte) (wire.Target, error) {
	schema, err := host.ContractSchema("TargetProfile")
	if err != nil {
		return wire.Target{}, err
	}
	if err := mistakes(path, schema.Validate(raw)); err != nil {
		return wire.Target{}, err
	}
	var profile agenticloopv2.TargetProfile
	if err := json.Unmarshal(raw, &profile); err != nil {
		return wire.Target{}, fmt.Errorf("%s: %w", path, err)
	}
	d := host.Declared{Profile: raw}
	var manifest agenticloopv2.Manifest
	if profile.Manifest != "" {
		at := filepath.Join(dir, profile.Manifest)
		if d.Manifest, err = readYAML(at); err != nil {
			return wire.Target{}, err
		}
		_ = json.Unmarshal(d.Manifest, &manifest) // mistakes in it become findings
	}
	p := &wire.Process{Name: dir, Env: profile.Environment, Secrets: secretsOf(profile)}
	if p.Command, err = commandOf(dir, profile, manifest); err != nil {
		return wire.Target{}, fmt.Errorf("%s: %w", path, err)
	}
	if path == "" {
		p.Name = strings.Join(p.Command, " ")
	}
	if profile.WorkingFolder != "" {
		if p.Dir, err = filepath.Abs(filepath.Join(dir, profile.WorkingFolder)); err != nil {
			return wire.Target{}, err
		}
	}
	if file := outOfReach(dir, profile); file != "" {
		return wire.Target{},
			fmt.Errorf("%s: command: %s is a file of the profile's folder, and the command starts in an empty one: "+
				"add working_folder: . or give its whole path", path, file)
	}
	if p.Declared, err = json.Marshal(d); err != nil {
		return wire.Target{}, err
	}
	return wire.Target{Process: p}, nil
}

// mistakes describes what is wrong with a profile, a line each.
func mistakes(path string, problems []validate.Problem) error {
	var wrong []error
	for _, p := range problems {
		text := p.Hint()
		switch text {
		case "missing property command":
			continue // the other branch of the same choice says it
		case "missing property manifest":
			text = "it names neither a command nor a manifest: add command: [PROGRAM, ARGUMENTS...], or manifest: " +
				ManifestName
		}
		wrong = append(wrong, fmt.Errorf("%s: %s", path, text))
	}
	return errors.Join(wrong...)
}

// outOfReach returns an argument of the command that names a file beside the profile, though the command starts in
// another folder; "" for none.
func outOfReach(dir string, profile agenticloopv2.TargetProfile) string {
	if profile.WorkingFolder != "" || len(profile.Command) == 0 {
		return ""
	}
	for _, word := range profile.Command[1:] {
		if info, err := os.Stat(filepath.Join(dir, word)); err == nil && info.Mode().IsRegular() &&
			!filepath.IsAbs(word) {
			return word
		}
	}
	return ""
}

// commandOf returns the profile's command, or else the manifest's entrypoint.
func commandOf(dir string, profile agenticloopv2.TargetProfile, manifest agenticloopv2.Manifest) ([]string, error) {
	command := profile.Command
	if len(command) == 0 {
		if manifest.Entrypoint == "" || !filepath.IsLocal(manifest.Entrypoint) {
			return nil, fmt.Errorf("%s names no entrypoint below its folder: give one, or a command in %s",
				filepath.Join(dir, profile.Manifest), ProfileName)
		}
		command = []string{"./" + manifest.Entrypoint}
	}
	command = append([]string(nil), command...)
	if strings.Contains(command[0], "/") && !filepath.IsAbs(command[0]) {
		program, err := filepath.Abs(filepath.Join(dir, command[0]))
		if err != nil {
			return nil, err
		}
		command[0] = program
	}
	return command, nil
}

// mostYAML is the largest profile or manifest, in bytes.
const mostYAML = 1 << 20

// readYAML reads a file of one YAML document as JSON.
func readYAML(path string) ([]byte, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	text, err := io.ReadAll(io.LimitReader(f, mostYAML+1))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	if len(text) > mostYAML {
		return nil, fmt.Errorf("%s is longer than %d bytes: leave out what does not belong there", path, mostYAML)
	}
	decoder := yaml.NewDecoder(bytes.NewReader(text))
	var document map[string]any
	if err := decoder.Decode(&document); err != nil {
		if errors.Is(err, io.EOF) {
			return nil, fmt.Errorf("%s is empty", path)
		}
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	if err := decoder.Decode(new(yaml.Node)); !errors.Is(err, io.EOF) {
		return nil, fmt.Errorf("%s holds more than one document: leave one", path)
	}
	out, err := json.Marshal(document)
	if err != nil {
		return nil, fmt.Errorf("%s: %w: keys are texts, and numbers finite", path, err)
	}
	return out, nil
}
