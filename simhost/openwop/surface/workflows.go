package surface

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/openassay/assay/gen/openwopv1"
	"github.com/openassay/assay/internal/validate"
	"github.com/openassay/assay/simhost/openwop/engine/workflow"
	"github.com/openassay/assay/simhost/refusal"
)

// workflows are what runs can be made of, by id.
type workflows struct {
	definitions map[string]openwopv1.WorkflowDefinition
	// needs holds what the host must have for those that can be run at all.
	needs map[string][]string
	// configurable holds the schemas of those that have one for the overrides of their runs.
	configurable map[string]*validate.Schema
}

func newWorkflows() workflows {
	return workflows{
		definitions: map[string]openwopv1.WorkflowDefinition{}, needs: map[string][]string{}, configurable: map[string]*validate.Schema{},
	}
}

// load returns the fixtures, and the definitions in dir unless that is "".
func (b *bundle) load(dir string) (workflows, error) {
	if dir == "" {
		return b.fixtures, nil
	}
	loaded := workflows{
		definitions: maps.Clone(b.fixtures.definitions), needs: maps.Clone(b.fixtures.needs), configurable: maps.Clone(b.fixtures.configurable),
	}
	schema, err := workflowSchema(b.schemas)
	if err != nil {
		return loaded, err
	}
	return loaded, loaded.read(os.DirFS(dir), dir, schema)
}

func workflowSchema(schemas *validate.Set) (*validate.Schema, error) {
	schema, err := schemas.Component("WorkflowDefinition")
	if err != nil {
		return nil, fmt.Errorf("load workflows: %w", err)
	}
	return schema, nil
}

// read adds every *.json file of a folder. It goes on after a bad file, so that one look shows all that is wrong.
func (w workflows) read(files fs.FS, dir string, schema *validate.Schema) error {
	entries, err := fs.ReadDir(files, ".")
	if err != nil {
		if missing := (*fs.PathError)(nil); errors.As(err, &missing) {
			err = missing.Err // its path is the folder's own "."
		}
		return fmt.Errorf("load workflows from %s: %w", dir, err)
	}
	var problems []error
	for _, entry := range entries {
		if entry.IsDir() || filepath.Ext(entry.Name()) != ".json" {
			continue
		}
		raw, err := fs.ReadFile(files, entry.Name())
		if err == nil {
			err = w.add(raw, schema)
		}
		if err != nil {
			problems = append(problems, fmt.Errorf("load workflow %s%w", filepath.Join(dir, entry.Name()), err))
		}
	}
	return errors.Join(problems...)
}

// add takes one definition. Its errors continue the name of the file: a pointer into it, and the problem there.
func (w workflows) add(raw []byte, schema *validate.Schema) error {
	if problems := schema.Validate(raw); len(problems) > 0 {
		more := ""
		if n := len(problems) - 1; n > 0 {
			more = fmt.Sprintf(" (and %d more)", n)
		}
		return fmt.Errorf("#%s: %s%s", problems[0].Instance, problems[0].Message, more)
	}
	plain, err := plainly(raw)
	if err != nil {
		return fmt.Errorf(": %w", err)
	}
	var definition openwopv1.WorkflowDefinition
	if err := json.Unmarshal(plain, &definition); err != nil {
		return fmt.Errorf(": %w", err)
	}
	if _, taken := w.definitions[definition.ID]; taken {
		return fmt.Errorf("#/id: there is a workflow %q already: choose another id", definition.ID)
	}
	if definition.ConfigurableSchema != nil {
		configurable, err := compileSchema(definition.ConfigurableSchema)
		if err != nil {
			return fmt.Errorf("#/configurableSchema: %w", err)
		}
		w.configurable[definition.ID] = configurable
	}
	w.definitions[definition.ID] = definition
	if needs, err := workflow.Needs(definition); err == nil {
		w.needs[definition.ID] = needs
	}
	return nil
}

// compileSchema compiles a schema that stands in a document of somebody else.
func compileSchema(schema map[string]any) (*validate.Schema, error) {
	raw, err := json.Marshal(schema)
	if err != nil {
		return nil, err
	}
	set, err := validate.New(raw)
	if err != nil {
		return nil, err
	}
	return set.At("")
}

// checkConfigurable holds the overrides of a run against the schema that its workflow has for them, if it has one.
func (w workflows) checkConfigurable(workflowID string, configurable map[string]any) error {
	schema := w.configurable[workflowID]
	if schema == nil {
		return nil
	}
	if configurable == nil {
		configurable = map[string]any{}
	}
	problems := schema.ValidateValue(configurable)
	if len(problems) == 0 {
		return nil
	}
	field := "configurable" + strings.ReplaceAll(problems[0].Instance, "/", ".")
	return invalid(field, "the workflow has a schema for configurable: "+problems[0].String())
}

// runnable lists the ids of the workflows that can be run, and need nothing the host lacks.
func (w workflows) runnable(lacks []string) []string {
	var ids []string
	for id, needs := range w.needs {
		missing := func(need string) bool { return slices.Contains(lacks, need) }
		if !slices.ContainsFunc(needs, missing) {
			ids = append(ids, id)
		}
	}
	slices.Sort(ids)
	return ids
}

// GetWorkflow serves a definition that runs can be made of.
func (h *Host) GetWorkflow(_ context.Context, req openwopv1.GetWorkflowRequestObject) (openwopv1.GetWorkflowResponseObject, error) {
	definition, known := h.workflows.definitions[req.WorkflowID]
	if !known {
		return nil, refusal.New(codeNotFound, "there is no workflow "+refusal.Quoted(req.WorkflowID)+": discovery lists the fixtures",
			"workflowId",
			req.WorkflowID)
	}
	return openwopv1.GetWorkflow200JSONResponse(definition), nil
}
