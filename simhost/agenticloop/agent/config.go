package agent

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/openassay/assay/simhost/agenticloop/rules"
)

// config is the operator's settings.
type config struct {
	maxSteps    int64
	maxReframes int64
	maxRetries  int64
	allowed     []string

	arguments string // nested, flat or both
	reemit    bool   // ask again for what is pending when its cause is delivered again
	keyTries  bool   // the dedupe key of a request tells the attempt

	planner string // scripted, model or steered
	script  []json.RawMessage
	tool    string // that the steered planner begins with
	model   modelConfig
}

type modelConfig struct {
	baseURL, name, key string
	seconds            int64 // that an answer may take
}

// The settings where the operator says nothing: steps and reframes as the text has them.
const (
	defaultMaxSteps     = 20
	defaultMaxReframes  = 2
	defaultMaxRetries   = 2
	defaultModelSeconds = 90
)

// The ways in which arguments stand in a request: in tool_payload, beside the correlation, or both.
const (
	nestedArguments = "nested"
	flatArguments   = "flat"
	bothArguments   = "both"
)

// The planners that a config can name.
const (
	scriptedPlanner = "scripted"
	modelPlanner    = "model"
	steeredPlanner  = "steered"
)

// readConfig reads the settings. An error names the setting, never its value.
func readConfig(in, secrets object) (config, error) {
	c := config{maxSteps: defaultMaxSteps, maxReframes: defaultMaxReframes, maxRetries: defaultMaxRetries, arguments: nestedArguments,
		model: modelConfig{seconds: defaultModelSeconds}}
	f := fields{object: in, within: "config."}
	f.count("max_steps", 1, &c.maxSteps)
	f.count("max_reframes", 0, &c.maxReframes)
	f.count("max_retries", 0, &c.maxRetries)
	f.read("allowed_plugins", "a list of names", &c.allowed)
	f.choice("arguments", &c.arguments, nestedArguments, flatArguments, bothArguments)
	f.read("reemit", "true or false", &c.reemit)
	f.read("attempt_in_key", "true or false", &c.keyTries)
	f.choice("planner", &c.planner, scriptedPlanner, modelPlanner, steeredPlanner)
	f.read("script", "a list of decisions", &c.script)
	f.text("default_tool", &c.tool)
	f.text("base_url", &c.model.baseURL)
	f.text("model", &c.model.name)
	f.text("api_key", &c.model.key)
	f.count("model_seconds", 1, &c.model.seconds)
	if f.err == nil {
		f = fields{object: secrets, within: "secrets."}
		f.text("api_key", &c.model.key)
	}
	if c.planner == "" {
		switch {
		case c.script != nil:
			c.planner = scriptedPlanner
		case c.model.baseURL != "":
			c.planner = modelPlanner
		default:
			c.planner = steeredPlanner
		}
	}
	return c, f.err
}

// count reads a whole number that is at least so much.
func (f *fields) count(name string, least int64, into *int64) {
	n := *into
	f.read(name, "a whole number", &n)
	if f.err == nil && (n < least || n > rules.Largest) {
		f.err = refuse("%s%s is not from %d to %d", f.within, name, least, int64(rules.Largest))
	}
	if f.err == nil {
		*into = n
	}
}

func (f *fields) choice(name string, into *string, choices ...string) {
	f.text(name, into)
	if f.err == nil && *into != "" && !slices.Contains(choices, *into) {
		f.err = refuse("%s%s is none of %s", f.within, name, strings.Join(choices, ", "))
	}
}
