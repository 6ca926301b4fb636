package main

import (
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/openassay/assay/scenarios"
)

// rolesOf parses ROLE=WORKFLOW pairs.
func rolesOf(pairs []string) (map[string]string, error) {
	roles := map[string]string{}
	for _, pair := range pairs {
		role, workflow, ok := strings.Cut(pair, "=")
		if !ok || role == "" || workflow == "" {
			return nil, usage("certify --role %q: give ROLE=WORKFLOW, like long=my-flow", pair)
		}
		if other := roles[role]; other != "" {
			return nil, usage("certify --role %q: the role %s is given to %s as well: one workflow plays it", pair, role, other)
		}
		roles[role] = workflow
	}
	return roles, nil
}

// knownRoles returns an error if the protocol has not one of the roles.
func knownRoles(p *scenarios.Protocol, roles map[string]string) error {
	for role := range roles {
		switch {
		case len(p.Roles) == 0:
			return usage("certify --role: %s has no roles for workflows", p.ID)
		case !slices.Contains(p.Roles, role):
			return usage("certify --role: unknown role %q: the roles of %s are %s", role, p.ID, strings.Join(p.Roles, ", "))
		}
	}
	return nil
}

// rolesKey holds the roles in the file of parameters, as ROLE: WORKFLOW.
const rolesKey = "roles"

// pairs turns a mapping of roles into the list that the flag takes.
func pairs(roles *yaml.Node) *yaml.Node {
	list := &yaml.Node{Kind: yaml.SequenceNode, Line: roles.Line}
	for i := 0; i+1 < len(roles.Content); i += 2 {
		item := *roles.Content[i+1]
		item.Value = roles.Content[i].Value + "=" + item.Value
		list.Content = append(list.Content, &item)
	}
	return list
}
