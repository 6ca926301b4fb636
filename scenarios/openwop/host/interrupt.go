package host

import (
	"context"
	"net/http"

	"github.com/openassay/assay/scenarios/openwop/dialect"
	"github.com/openassay/assay/scenarios/wire"
)

// Interrupt describes what a suspended run waits for, as far as the host shows it.
type Interrupt struct {
	Node     string
	kind     dialect.InterruptKind
	question string // id of the first question
}

// Pending reads the interrupt from the run's snapshot and its log. Hosts show it in either, and not every host
// emits interrupt.requested (OWP-R17), so the waiting status is enough.
func Pending(snapshot wire.Value, l RunLog) Interrupt {
	suspended := l.OfType(dialect.NodeSuspended).Last()
	requested := l.OfType(dialect.InterruptRequested).Last()
	i := Interrupt{
		Node: FirstText(snapshot.Key("currentNodeId"), snapshot.At("/interrupt/nodeId"),
			suspended.Key("nodeId"), suspended.At("/payload/nodeId"), requested.Key("nodeId")),
		kind:     dialect.InterruptKind(FirstText(snapshot.At("/interrupt/kind"), requested.At("/payload/kind"), suspended.At("/payload/kind"))),
		question: FirstText(snapshot.At("/interrupt/data/questions/0/id"), requested.At("/payload/data/questions/0/id")),
	}
	if i.kind == "" && snapshot.Key("status").String() == "waiting-approval" {
		i.kind = dialect.InterruptKindApproval
	}
	if i.question == "" {
		i.question = "q1"
	}
	return i
}

// Answers returns the bodies that may resolve the interrupt, each holding the text. The prose has a list of
// answers where the event schema has a map (OWP-R34).
func (i Interrupt) Answers(text string) []any {
	switch i.kind {
	case dialect.InterruptKindApproval, dialect.InterruptKindLowConfidence:
		return []any{map[string]any{"action": dialect.ApprovalActionAccept, "comment": text}}
	}
	return []any{
		map[string]any{"answers": map[string]string{i.question: text}},
		map[string]any{"answers": []map[string]string{{"id": i.question, "answer": text}}},
	}
}

// Answer resolves the interrupt that the suspended run waits on.
func (r *Run) Answer(ctx context.Context, suspended wire.Wait, text string) *wire.Reply {
	var l RunLog
	r.page(ctx, &l, "", "log while suspended")
	return r.Resolve(ctx, Pending(suspended.Last, l), text)
}

// Resolve answers an interrupt by its node. If the host refuses one form of the answer, Resolve tries the next. It
// does not use Send: a refusal may be the expected reply.
func (r *Run) Resolve(ctx context.Context, i Interrupt, text string) (reply *wire.Reply) {
	for _, value := range i.Answers(text) {
		reply = r.Do(ctx, wire.Call{Operation: dialect.AnswerNode.Of(r.ID, i.Node), Label: "answer",
			Body: map[string]any{"resumeValue": value}, Secrets: InterruptTokens})
		if reply.Status != http.StatusBadRequest && reply.Status != http.StatusUnprocessableEntity {
			break
		}
	}
	return reply
}
