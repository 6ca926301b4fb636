package surface

import (
	"context"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"github.com/openassay/assay/gen/openwopv1"
	"github.com/openassay/assay/simhost/openwop/engine/live"
	"github.com/openassay/assay/simhost/openwop/engine/workflow"
	"github.com/openassay/assay/simhost/refusal"
)

const (
	// loopFileWorkflow is loopWorkflow with a supervisor that reads and writes files, and notes what each turn sees.
	loopFileWorkflow = "assay-loop-workspace"
	// maxFileTurns bounds a plan with notes: the log gets all of them again with each.
	maxFileTurns = 200
)

// loopFile is the file that the seam has a loop write in one of its turns. No other call of the seam has the same one.
type loopFile struct {
	path, content string
	turn          int64 // from 1
}

// canWrite refuses a write that this host cannot show, or that no turn would do.
func (h *Host) canWrite(ask openwopv1.AgentloopRequest) error {
	const field = "workspaceWriteAtTurn"
	switch {
	case !h.claimed[claimWorkspace]:
		return refusal.New(codeCapability, "this host has no workspace: leave workspaceWriteAtTurn off",
			"field", field, "requiredCapability", workflow.CapabilityWorkspace)
	case h.version() < 5:
		return refusal.New(codeCapability, "turns see what earlier ones wrote from version 5 of the execution model on: leave "+
			"workspaceWriteAtTurn off",
			"field", field, "requiredCapability", "multiAgent.executionModel")
	case ask.Turns > maxFileTurns:
		return invalid("turns", fmt.Sprintf("turns must be at most %d in a loop that writes", maxFileTurns))
	case *ask.WorkspaceWriteAtTurn > ask.Turns:
		return invalid(field, fmt.Sprintf("the loop has %d turns: write in one of them", ask.Turns))
	}
	return nil
}

func (h *Host) newLoopFile(turn int64) *loopFile {
	id := h.ids.Next()
	name := hex.EncodeToString(id[:])
	content := digest("agentloop", name)
	return &loopFile{
		path:    "assay/agentloop-" + name + ".md",
		content: content[:min(len(content), h.opts.MaxFileBytes)],
		turn:    turn,
	}
}

// addTo has the loop read the file in every turn, and write it in its own.
func (f *loopFile) addTo(create *live.Create) {
	writes := slices.Repeat([]any{[]any{}}, int(f.turn))
	writes[f.turn-1] = []any{map[string]any{"path": f.path, "content": f.content}}
	create.WorkflowID = loopFileWorkflow
	create.Inputs["reads"] = map[string]any{"workspace": []any{f.path}}
	create.Inputs["writes"] = writes
}

// loopNote is what a turn noted when it began, or ended.
type loopNote struct {
	At        string `json:"at"`
	Workspace []struct {
		Path    string `json:"path"`
		Content string `json:"content"`
	} `json:"workspace"`
}

// visible reads from the notes of a loop whether the turn that wrote saw the file when it ended, and the next one when it
// began. It is nil where the loop did not come to the end of the turn that writes.
func (f *loopFile) visible(snapshot openwopv1.RunSnapshot) (*openwopv1.WorkspaceVisibility, error) {
	if e := snapshot.Error; e != nil && e.Code == codeWorkspaceTooLarge {
		return nil, refusal.New(codeWorkspaceTooLarge, "the loop could not write its file: "+e.Message, "runId", snapshot.RunID)
	}
	raw, err := json.Marshal(snapshot.Variables["seen"])
	if err != nil {
		return nil, fmt.Errorf("encode the notes of run %s: %w", snapshot.RunID, err)
	}
	var notes []loopNote
	if err := json.Unmarshal(raw, &notes); err != nil {
		return nil, fmt.Errorf("read the notes of run %s: %w", snapshot.RunID, err)
	}
	var seen openwopv1.WorkspaceVisibility
	ended := int64(0)
	for _, n := range notes {
		switch {
		case n.At == "begin" && ended == f.turn:
			seen.AtNextTurn = new(f.in(n))
		case n.At == "end":
			if ended++; ended == f.turn {
				seen.AtWriteTurn = new(f.in(n))
			}
		}
	}
	if seen.AtWriteTurn == nil {
		return nil, nil
	}
	return &seen, nil
}

func (f *loopFile) in(n loopNote) bool {
	for _, file := range n.Workspace {
		if file.Path == f.path && file.Content == f.content {
			return true
		}
	}
	return false
}

// discard deletes the file, if it was written. A loop that was left suspended finds it gone when somebody resumes it.
func (h *Host) discard(ctx context.Context, f *loopFile) error {
	err := h.files.Delete(context.WithoutCancel(ctx), ownFiles(ctx), f.path, "")
	if e := (*refusal.Error)(nil); errors.As(err, &e) && e.Code == refusal.NotFound {
		return nil
	}
	return err
}
