package openintent

import (
	"encoding/json"
	"errors"
	"path/filepath"
	"slices"
	"strings"

	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/wire"
)

// Resolver returns a command as a target: a program that reads a question (resolve-policy-request.schema.json) from its
// standard input, writes one answer (resolve-policy-reply.schema.json) and exits. It runs in the current directory.
func Resolver(command []string) (wire.Target, error) {
	if len(command) == 0 {
		return wire.Target{}, errors.New("no command is given: name a program and its arguments")
	}
	name := strings.Join(command, " ")
	command = append([]string(nil), command...)
	if strings.Contains(command[0], "/") {
		program, err := filepath.Abs(command[0])
		if err != nil {
			return wire.Target{}, err
		}
		command[0] = program
	}
	dir, err := filepath.Abs(".")
	if err != nil {
		return wire.Target{}, err
	}
	declared, err := json.Marshal(map[string]any{
		"protocol": "openintent", "implementation": name, "resolver": map[string]any{"command": command},
	})
	if err != nil {
		return wire.Target{}, err
	}
	return wire.Target{Process: &wire.Process{Name: name, Command: command, Dir: dir, Declared: declared}}, nil
}

// ResolverSuites returns the suites for a resolver.
func ResolverSuites() []scenarios.Suite {
	return slices.DeleteFunc(Suites(), func(s scenarios.Suite) bool { return s.ID != "cascade" })
}

// ServerSuites returns the suites for a server.
func ServerSuites() []scenarios.Suite {
	return slices.DeleteFunc(Suites(), func(s scenarios.Suite) bool { return s.ID == "cascade" })
}
