package gateway

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	yaml "go.yaml.in/yaml/v3"
)

// Config is what files of pipelines say, in the form of RFC-103: routes, and the operator's settings of plugins.
type Config struct {
	Pipelines []Pipeline
	Settings  map[string]Settings // by plugin
}

// Pipeline is the steps that an event of one type sets off.
type Pipeline struct {
	Name  string
	On    string // the event type, letter for letter
	Steps []Step
	at    string // file and line
}

// Step hands an event to a plugin's handle.
type Step struct {
	ID   string
	Uses string // a plugin
	at   string
}

// Settings are the operator's, of one plugin.
type Settings struct {
	Config  json.RawMessage // an object
	Timeout time.Duration   // of handle; 0: the gateway's
	at      string
}

// LoadConfig reads files of pipelines. Each may have pipelines, plugins, or both. The error has a line for each problem,
// with file and line.
func LoadConfig(paths ...string) (Config, error) {
	c := Config{Settings: map[string]Settings{}}
	var problems []error
	for _, path := range paths {
		d, root, err := openDocument(path)
		if err != nil {
			problems = append(problems, fmt.Errorf("read pipelines: %w", err))
			continue
		}
		if root != nil {
			c.read(d, root)
		}
		problems = append(problems, d.problems...)
	}
	return c, errors.Join(problems...)
}

func (c *Config) read(d *document, root *yaml.Node) {
	for _, f := range d.fields(root, "the file", []string{"pipelines", "plugins"}) {
		switch f.key.Value {
		case "pipelines":
			for _, n := range d.list(f.value, "pipelines") {
				c.readPipeline(d, n)
			}
		case "plugins":
			for _, plugin := range d.fields(f.value, "plugins", nil) {
				c.readSettings(d, plugin)
			}
		}
	}
}

func (c *Config) readPipeline(d *document, n *yaml.Node) {
	p := Pipeline{at: d.place(n)}
	before := len(d.problems)
	for _, f := range d.fields(n, "a pipeline", []string{"name", "on", "steps"}) {
		switch f.key.Value {
		case "name":
			p.Name = d.word(f.value, "the name of a pipeline")
		case "on":
			p.On = d.word(f.value, "on: the event type that sets a pipeline off")
		case "steps":
			for _, step := range d.list(f.value, "steps") {
				p.readStep(d, step)
			}
		}
	}
	if len(d.problems) > before {
		return
	}
	switch same := slices.IndexFunc(c.Pipelines, func(o Pipeline) bool { return o.Name == p.Name }); {
	case p.Name == "":
		d.wrong(n, "a pipeline has a name: add name")
	case p.On == "":
		d.wrong(n, "pipeline %q is on nothing: add on, the type of the event that sets it off", p.Name)
	case len(p.Steps) == 0:
		d.wrong(n, "pipeline %q has no steps: add steps, with the plugin that each uses", p.Name)
	case same >= 0:
		d.wrong(n, "there is a pipeline %q at %s already: give this one another name", p.Name, c.Pipelines[same].at)
	default:
		c.Pipelines = append(c.Pipelines, p)
	}
}

func (p *Pipeline) readStep(d *document, n *yaml.Node) {
	s := Step{at: d.place(n)}
	before := len(d.problems)
	for _, f := range d.fields(n, "a step", []string{"id", "uses"}) {
		switch f.key.Value {
		case "id":
			s.ID = d.word(f.value, "the id of a step")
		case "uses":
			s.Uses, s.at = d.word(f.value, "uses: the plugin of a step"), d.place(f.value)
		}
	}
	if len(d.problems) > before {
		return
	}
	switch {
	case s.ID == "":
		d.wrong(n, "a step has an id: add id")
	case s.Uses == "":
		d.wrong(n, "step %q uses nothing: add uses, the plugin that takes it", s.ID)
	case slices.ContainsFunc(p.Steps, func(o Step) bool { return o.ID == s.ID }):
		d.wrong(n, "the pipeline has a step %q already: give this one another id", s.ID)
	default:
		p.Steps = append(p.Steps, s)
	}
}

func (c *Config) readSettings(d *document, plugin field) {
	name := plugin.key.Value
	s := Settings{at: d.place(plugin.key)}
	for _, f := range d.fields(plugin.value, "a plugin", []string{"schedule", "timeouts", "config"}) {
		switch f.key.Value {
		case "schedule":
			if f.value.Tag != "!!null" {
				d.wrong(f.value, "this gateway polls nothing: write schedule: null, or leave it away")
			}
		case "timeouts":
			for _, t := range d.fields(f.value, "timeouts", []string{commandHandle}) {
				s.Timeout = d.duration(t.value)
			}
		case "config":
			if d.fields(f.value, "config", nil) != nil || f.value.Kind == yaml.MappingNode {
				s.Config = d.json(f.value, "config")
			}
		}
	}
	if other, twice := c.Settings[name]; twice {
		d.wrong(plugin.key, "plugin %q has settings at %s already", name, other.at)
		return
	}
	c.Settings[name] = s
}

func (d *document) duration(n *yaml.Node) time.Duration {
	t, err := time.ParseDuration(n.Value)
	if n.Kind != yaml.ScalarNode || err != nil || t <= 0 {
		d.wrong(n, "a timeout is a duration like 120s")
	}
	return t
}

// check finds what the config asks of plugins that they do not give.
func (c *Config) check(plugins []Plugin) error {
	var names []string
	for _, p := range plugins {
		names = append(names, p.Name)
	}
	var problems []error
	unknown := func(at, what, name string) {
		problems = append(problems, fmt.Errorf("%s: %s %q, which is not loaded%s: loaded is %s",
			at, what, name, meant(name, names), orNothing(names)))
	}
	for _, p := range c.Pipelines {
		for _, s := range p.Steps {
			i := slices.Index(names, s.Uses)
			switch {
			case i < 0:
				unknown(s.at, fmt.Sprintf("step %q of pipeline %q uses plugin", s.ID, p.Name), s.Uses)
			case !plugins[i].has(commandHandle):
				problems = append(problems, fmt.Errorf("%s: step %q of pipeline %q uses plugin %q, which has no command %s",
					s.at, s.ID, p.Name, s.Uses, commandHandle))
			}
		}
	}
	for name, s := range c.Settings {
		if !slices.Contains(names, name) {
			unknown(s.at, "settings are for plugin", name)
		}
	}
	slices.SortFunc(problems, func(a, b error) int { return strings.Compare(a.Error(), b.Error()) })
	return errors.Join(append(problems, c.missing(plugins))...)
}

// missing finds the settings that plugins cannot do without.
func (c *Config) missing(plugins []Plugin) error {
	var problems []error
	for _, p := range plugins {
		given, err := object(c.Settings[p.Name].Config)
		if err != nil {
			return fmt.Errorf("settings of %s: %w", p.Name, err)
		}
		for _, key := range p.required {
			if _, there := given[key]; !there {
				problems = append(problems, fmt.Errorf("plugin %q cannot do without config key %q: set it under plugins, %s, config", p.Name,
					key, p.Name))
			}
		}
	}
	return errors.Join(problems...)
}

func orNothing(names []string) string {
	if len(names) == 0 {
		return "nothing"
	}
	return strings.Join(names, ", ")
}
