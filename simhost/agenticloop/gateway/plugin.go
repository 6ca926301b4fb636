package gateway

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/openassay/assay/gen/agenticloopv2"
	"github.com/openassay/assay/internal/validate"
)

// ManifestName is the file that makes a folder a plugin.
const ManifestName = "manifest.yaml"

// commandHandle is what a step of a pipeline asks of its plugin.
const commandHandle = "handle"

// Plugin is an executable that takes a turn at a time.
type Plugin struct {
	Name       string
	Version    string
	Entrypoint string   // absolute path; empty where the runner needs none
	Commands   []string // handle, if nothing else
	Serial     bool     // two jobs of it must not run at a time

	required []string // config keys
	dir      string
}

// InProcessPlugin is a plugin without a folder, for a runner that starts no processes.
func InProcessPlugin(name string) Plugin {
	return Plugin{Name: name, Commands: []string{commandHandle}}
}

func (p Plugin) has(command string) bool { return slices.Contains(p.Commands, command) }

// LoadPlugins loads the plugins in these folders. A folder that has no manifest is taken for one of plugin folders. The
// error has a line for each problem.
func LoadPlugins(dirs ...string) ([]Plugin, error) {
	var plugins []Plugin
	var problems []error
	for _, dir := range dirs {
		folders, err := pluginFolders(dir)
		if err != nil {
			problems = append(problems, err)
			continue
		}
		for _, folder := range folders {
			p, err := loadPlugin(folder)
			if err != nil {
				problems = append(problems, fmt.Errorf("load plugin in %s: %w", folder, err))
				continue
			}
			if i := slices.IndexFunc(plugins, func(o Plugin) bool { return o.Name == p.Name }); i >= 0 {
				problems = append(problems, fmt.Errorf("load plugin in %s: there is a plugin %q in %s already: load one of them", folder,
					p.Name, plugins[i].dir))
				continue
			}
			plugins = append(plugins, p)
		}
	}
	return plugins, errors.Join(problems...)
}

func pluginFolders(dir string) ([]string, error) {
	if _, err := os.Stat(filepath.Join(dir, ManifestName)); err == nil {
		return []string{dir}, nil
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, fmt.Errorf("load plugins: %w", err)
	}
	var found []string
	for _, e := range entries {
		folder := filepath.Join(dir, e.Name())
		if _, err := os.Stat(filepath.Join(folder, ManifestName)); err == nil {
			found = append(found, folder)
		}
	}
	if len(found) == 0 {
		return nil, fmt.Errorf("load plugins: neither %s nor a folder in it has a %s", dir, ManifestName)
	}
	return found, nil
}

// manifestSchema is of both eras.
var manifestSchema = sync.OnceValues(func() (*validate.Schema, error) { return component("Manifest") })

var contract = sync.OnceValues(func() (*validate.Set, error) { return validate.Embedded(agenticloopv2.Bundled()) })

func component(name string) (*validate.Schema, error) {
	set, err := contract()
	if err != nil {
		return nil, err
	}
	return set.Component(name)
}

func loadPlugin(dir string) (Plugin, error) {
	path := filepath.Join(dir, ManifestName)
	d, root, err := openDocument(path)
	if err != nil {
		return Plugin{}, err
	}
	if root == nil {
		return Plugin{}, fmt.Errorf("%s is empty", path)
	}
	raw := d.json(root, "a manifest")
	if err := errors.Join(d.problems...); err != nil {
		return Plugin{}, err
	}
	schema, err := manifestSchema()
	if err != nil {
		return Plugin{}, err
	}
	var problems []error
	for _, problem := range schema.Validate(raw) {
		problems = append(problems, fmt.Errorf("%s: %s", path, problem.Hint()))
	}
	if len(problems) > 0 {
		return Plugin{}, errors.Join(problems...)
	}
	var m agenticloopv2.Manifest
	if err := json.Unmarshal(raw, &m); err != nil {
		return Plugin{}, fmt.Errorf("%s: %w", path, err)
	}
	p := Plugin{Name: m.Name, Version: m.Version, Serial: m.ConcurrencySafe != nil && !*m.ConcurrencySafe, dir: dir}
	if m.ConfigKeys != nil {
		p.required = m.ConfigKeys.Required
	}
	if p.Commands, err = commandNames(m.Commands); err != nil {
		return Plugin{}, fmt.Errorf("%s: %w", path, err)
	}
	p.Entrypoint, err = entrypoint(dir, m.Entrypoint)
	return p, err
}

// commandNames are the names of commands of either era: a word each, or an object with one.
func commandNames(commands []json.RawMessage) ([]string, error) {
	var names []string
	for _, raw := range commands {
		var name string
		if json.Unmarshal(raw, &name) != nil {
			var command agenticloopv2.ManifestCommand
			if err := json.Unmarshal(raw, &command); err != nil {
				return nil, err
			}
			name = command.Name
		}
		names = append(names, name)
	}
	return names, nil
}

// entrypoint finds the executable, which must be one, and inside the folder, and not for everybody to replace.
func entrypoint(dir, name string) (string, error) {
	base, err := filepath.Abs(dir)
	if err == nil {
		base, err = filepath.EvalSymlinks(base)
	}
	if err != nil {
		return "", err
	}
	path, err := filepath.EvalSymlinks(filepath.Join(base, name))
	if errors.Is(err, fs.ErrNotExist) {
		return "", fmt.Errorf("entrypoint %q is not there: mend the manifest, or put the program into %s", name, dir)
	}
	if err != nil {
		return "", fmt.Errorf("entrypoint %q: %w", name, err)
	}
	if inside, err := filepath.Rel(base, path); err != nil || inside == ".." || strings.HasPrefix(inside, "../") {
		return "", fmt.Errorf("entrypoint %q leads out of %s: put the program into it", name, dir)
	}
	info, err := os.Stat(path)
	if err != nil {
		return "", fmt.Errorf("entrypoint %q: %w", name, err)
	}
	if !info.Mode().IsRegular() || info.Mode().Perm()&0o111 == 0 {
		return "", fmt.Errorf("entrypoint %q is no program that may be executed: chmod +x it", name)
	}
	folder, err := os.Stat(filepath.Dir(path))
	if err != nil {
		return "", fmt.Errorf("entrypoint %q: %w", name, err)
	}
	if folder.Mode().Perm()&0o002 != 0 {
		return "", fmt.Errorf("entrypoint %q is in a folder that everybody may write to: chmod o-w it", name)
	}
	return path, nil
}
