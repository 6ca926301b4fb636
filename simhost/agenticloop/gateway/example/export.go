package example

import (
	"embed"
	"os"
	"path/filepath"
	"strings"

	"github.com/openassay/assay/simhost/agenticloop/agent"
	"github.com/openassay/assay/simhost/agenticloop/gateway"
)

//go:embed files
var files embed.FS

// The files of an example.
const (
	PipelinesFile = "pipelines.yaml"
	PluginsFolder = "plugins"
)

// Export writes the text's worked example into a folder: pipelines, the reference agent, and its two tools, started by the
// program with these arguments, the agent's and then those of a tool, to which its name is added. Files of these names are
// replaced.
func Export(dir, program string, agentArguments, toolArguments []string) error {
	pipelines, err := files.ReadFile("files/" + PipelinesFile)
	if err != nil {
		return err
	}
	plugins := filepath.Join(dir, PluginsFolder)
	if err := agent.Export(filepath.Join(plugins, agent.DefaultName), agent.Profile{}, program, agentArguments...); err != nil {
		return err
	}
	for _, name := range Tools() {
		if err := exportTool(filepath.Join(plugins, name), name, program, toolArguments); err != nil {
			return err
		}
	}
	return os.WriteFile(filepath.Join(dir, PipelinesFile), pipelines, 0o644)
}

func exportTool(dir, name, program string, arguments []string) error {
	manifest, err := files.ReadFile("files/tool.yaml")
	if err != nil {
		return err
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	var script strings.Builder
	script.WriteString("#!/bin/sh\nexec")
	for _, word := range append(append([]string{program}, arguments...), name) {
		script.WriteString(" '" + strings.ReplaceAll(word, "'", `'\''`) + "'")
	}
	described := strings.NewReplacer("NAME", name, "ABOUT", tools[name].about).Replace(string(manifest))
	if err := os.WriteFile(filepath.Join(dir, gateway.ManifestName), []byte(described), 0o644); err != nil {
		return err
	}
	entrypoint := filepath.Join(dir, "run.sh")
	if err := os.WriteFile(entrypoint, []byte(script.String()+"\n"), 0o755); err != nil {
		return err
	}
	return os.Chmod(entrypoint, 0o755) //nolint:gosec // it is to be run; of a file that was there before
}
