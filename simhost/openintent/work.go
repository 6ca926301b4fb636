package openintent

import (
	"context"
	"time"

	oi "github.com/openassay/assay/gen/openintentv1"
	"github.com/openassay/assay/simhost/openintent/engine"
)

func number(n *int64, otherwise int64) int64 {
	if n == nil {
		return otherwise
	}
	return *n
}

// defaultLease is for how long a part of an intent is claimed, in seconds.
const defaultLease = 300

// ListLeases shows who works on an intent.
func (h *Host) ListLeases(ctx context.Context, r oi.ListLeasesRequestObject) (oi.ListLeasesResponseObject, error) {
	docs, err := h.engine.Leases(ctx, r.IntentID)
	return oi.ListLeases200JSONResponse{Leases: docs}, err
}

// AcquireLease claims a part of an intent.
func (h *Host) AcquireLease(ctx context.Context, r oi.AcquireLeaseRequestObject) (oi.AcquireLeaseResponseObject, error) {
	doc, err := h.engine.Acquire(ctx, callerOf(ctx), r.IntentID, r.Body.Scope, number(r.Body.DurationSeconds, defaultLease))
	return oi.AcquireLease200JSONResponse(doc), err
}

// RenewLease keeps a claim for longer.
func (h *Host) RenewLease(ctx context.Context, r oi.RenewLeaseRequestObject) (oi.RenewLeaseResponseObject, error) {
	doc, err := h.engine.Renew(ctx, callerOf(ctx), r.IntentID, r.LeaseID, number(r.Body.DurationSeconds, defaultLease))
	return oi.RenewLease200JSONResponse(doc), err
}

// ReleaseLease gives a claim back.
func (h *Host) ReleaseLease(ctx context.Context, r oi.ReleaseLeaseRequestObject) (oi.ReleaseLeaseResponseObject, error) {
	doc, err := h.engine.Release(ctx, callerOf(ctx), r.IntentID, r.LeaseID)
	return oi.ReleaseLease200JSONResponse(doc), err
}

// CreateTask makes a task.
func (h *Host) CreateTask(ctx context.Context, r oi.CreateTaskRequestObject) (oi.CreateTaskResponseObject, error) {
	doc, err := h.engine.CreateTask(ctx, callerOf(ctx), *r.Body)
	return oi.CreateTask200JSONResponse{Body: doc, Headers: oi.CreateTask200ResponseHeaders{ETag: tag(number(doc.Version, 0))}}, err
}

// CreateTaskOfIntent makes a task, at the path of RFC-0012.
func (h *Host) CreateTaskOfIntent(ctx context.Context, r oi.CreateTaskOfIntentRequestObject) (oi.CreateTaskOfIntentResponseObject, error) {
	b := r.Body
	doc, err := h.engine.CreateTask(ctx, callerOf(ctx), oi.CreateTaskRequest{
		IntentID: r.IntentID, Name: b.Name, PlanID: b.PlanID, Description: b.Description, Priority: b.Priority, Input: b.Input,
		DependsOn: b.DependsOn, MaxAttempts: b.MaxAttempts, Metadata: b.Metadata,
	})
	return oi.CreateTaskOfIntent200JSONResponse{Body: doc,
		Headers: oi.CreateTaskOfIntent200ResponseHeaders{ETag: tag(number(doc.Version, 0))}}, err
}

// GetTask shows a task.
func (h *Host) GetTask(ctx context.Context, r oi.GetTaskRequestObject) (oi.GetTaskResponseObject, error) {
	doc, err := h.engine.Task(ctx, r.TaskID)
	return oi.GetTask200JSONResponse{Body: doc, Headers: oi.GetTask200ResponseHeaders{ETag: tag(number(doc.Version, 0))}}, err
}

// UpdateTask moves a task on.
func (h *Host) UpdateTask(ctx context.Context, r oi.UpdateTaskRequestObject) (oi.UpdateTaskResponseObject, error) {
	doc, err := h.engine.UpdateTask(ctx, callerOf(ctx), r.TaskID, meant(r.Params.IfMatch), *r.Body)
	return oi.UpdateTask200JSONResponse{Body: doc, Headers: oi.UpdateTask200ResponseHeaders{ETag: tag(number(doc.Version, 0))}}, err
}

// ClaimTask claims a task.
func (h *Host) ClaimTask(ctx context.Context, r oi.ClaimTaskRequestObject) (oi.ClaimTaskResponseObject, error) {
	agent := ""
	if r.Body != nil {
		agent = r.Body.AgentID
	}
	doc, err := h.engine.ClaimTask(ctx, callerOf(ctx), r.TaskID, agent)
	return oi.ClaimTask200JSONResponse{Body: doc, Headers: oi.ClaimTask200ResponseHeaders{ETag: tag(number(doc.Version, 0))}}, err
}

// ListTasksOfIntent shows the tasks of an intent, oldest first.
func (h *Host) ListTasksOfIntent(ctx context.Context, r oi.ListTasksOfIntentRequestObject) (oi.ListTasksOfIntentResponseObject, error) {
	offset, limit := page(r.Params.Limit, r.Params.Offset)
	status := ""
	if r.Params.Status != nil {
		status = string(*r.Params.Status)
	}
	docs, err := h.engine.Tasks(ctx, r.IntentID, status, offset, limit)
	return oi.ListTasksOfIntent200JSONResponse(docs), err
}

// CreatePlan makes a plan.
func (h *Host) CreatePlan(ctx context.Context, r oi.CreatePlanRequestObject) (oi.CreatePlanResponseObject, error) {
	doc, err := h.engine.CreatePlan(ctx, callerOf(ctx), *r.Body)
	return oi.CreatePlan200JSONResponse{Body: doc, Headers: oi.CreatePlan200ResponseHeaders{ETag: tag(number(doc.Version, 0))}}, err
}

// GetPlan shows a plan with its progress.
func (h *Host) GetPlan(ctx context.Context, r oi.GetPlanRequestObject) (oi.GetPlanResponseObject, error) {
	doc, err := h.engine.Plan(ctx, r.PlanID)
	return oi.GetPlan200JSONResponse{Body: doc, Headers: oi.GetPlan200ResponseHeaders{ETag: tag(number(doc.Version, 0))}}, err
}

// UpdatePlan changes a plan.
func (h *Host) UpdatePlan(ctx context.Context, r oi.UpdatePlanRequestObject) (oi.UpdatePlanResponseObject, error) {
	doc, err := h.engine.UpdatePlan(ctx, callerOf(ctx), r.PlanID, meant(r.Params.IfMatch), *r.Body)
	return oi.UpdatePlan200JSONResponse{Body: doc, Headers: oi.UpdatePlan200ResponseHeaders{ETag: tag(number(doc.Version, 0))}}, err
}

// ListPlansOfIntent shows the plans of an intent, oldest first.
func (h *Host) ListPlansOfIntent(ctx context.Context, r oi.ListPlansOfIntentRequestObject) (oi.ListPlansOfIntentResponseObject, error) {
	docs, err := h.engine.Plans(ctx, r.IntentID)
	return oi.ListPlansOfIntent200JSONResponse(docs), err
}

// CreateCoordinator takes the lease of a coordinator.
func (h *Host) CreateCoordinator(ctx context.Context, r oi.CreateCoordinatorRequestObject) (oi.CreateCoordinatorResponseObject, error) {
	doc, err := h.engine.CreateCoordinator(ctx, callerOf(ctx), *r.Body)
	return oi.CreateCoordinator200JSONResponse(doc), err
}

// GetCoordinator shows a lease.
func (h *Host) GetCoordinator(ctx context.Context, r oi.GetCoordinatorRequestObject) (oi.GetCoordinatorResponseObject, error) {
	doc, err := h.engine.Coordinator(ctx, r.CoordinatorID)
	return oi.GetCoordinator200JSONResponse(doc), err
}

// HeartbeatCoordinator notes that a coordinator is there.
func (h *Host) HeartbeatCoordinator(ctx context.Context,
	r oi.HeartbeatCoordinatorRequestObject) (oi.HeartbeatCoordinatorResponseObject, error) {
	next, err := h.engine.Heartbeat(ctx, callerOf(ctx), r.CoordinatorID)
	return oi.HeartbeatCoordinator200JSONResponse{Status: "ok", NextHeartbeatAt: stamp(next)}, err
}

// ListCoordinatorsOfIntent shows who coordinates an intent.
func (h *Host) ListCoordinatorsOfIntent(ctx context.Context,
	r oi.ListCoordinatorsOfIntentRequestObject) (oi.ListCoordinatorsOfIntentResponseObject, error) {
	docs, err := h.engine.Coordinators(ctx, r.IntentID)
	return oi.ListCoordinatorsOfIntent200JSONResponse(docs), err
}

// CreatePortfolio makes a portfolio.
func (h *Host) CreatePortfolio(ctx context.Context, r oi.CreatePortfolioRequestObject) (oi.CreatePortfolioResponseObject, error) {
	doc, err := h.engine.CreatePortfolio(ctx, callerOf(ctx), *r.Body)
	return oi.CreatePortfolio200JSONResponse(doc), err
}

// ListPortfolios shows portfolios, oldest first.
func (h *Host) ListPortfolios(ctx context.Context, r oi.ListPortfoliosRequestObject) (oi.ListPortfoliosResponseObject, error) {
	var f engine.PortfolioFilter
	if r.Params.CreatedBy != nil {
		f.CreatedBy = *r.Params.CreatedBy
	}
	docs, err := h.engine.Portfolios(ctx, f)
	return oi.ListPortfolios200JSONResponse(docs), err
}

// ListPortfoliosOfIntent shows the portfolios that an intent is in.
func (h *Host) ListPortfoliosOfIntent(ctx context.Context,
	r oi.ListPortfoliosOfIntentRequestObject) (oi.ListPortfoliosOfIntentResponseObject, error) {
	docs, err := h.engine.Portfolios(ctx, engine.PortfolioFilter{Member: r.IntentID})
	return oi.ListPortfoliosOfIntent200JSONResponse(docs), err
}

// GetPortfolio shows a portfolio with its members counted.
func (h *Host) GetPortfolio(ctx context.Context, r oi.GetPortfolioRequestObject) (oi.GetPortfolioResponseObject, error) {
	doc, err := h.engine.Portfolio(ctx, r.PortfolioID)
	return oi.GetPortfolio200JSONResponse(doc), err
}

// SetPortfolioStatus says where a portfolio stands.
func (h *Host) SetPortfolioStatus(ctx context.Context, r oi.SetPortfolioStatusRequestObject) (oi.SetPortfolioStatusResponseObject, error) {
	doc, err := h.engine.SetPortfolioStatus(ctx, callerOf(ctx), r.PortfolioID, r.Body.Status)
	return oi.SetPortfolioStatus200JSONResponse(doc), err
}

// AddPortfolioMember puts an intent into a portfolio.
func (h *Host) AddPortfolioMember(ctx context.Context, r oi.AddPortfolioMemberRequestObject) (oi.AddPortfolioMemberResponseObject, error) {
	m, err := h.engine.AddMember(ctx, callerOf(ctx), r.PortfolioID, r.Body.IntentID, string(r.Body.Role))
	if err != nil {
		return nil, err
	}
	return oi.AddPortfolioMember200JSONResponse{
		Message: "the intent is a member", MembershipID: m.ID, ID: m.ID, PortfolioID: r.PortfolioID, IntentID: m.Intent,
		Role: oi.MembershipRole(m.Role), Priority: new(number(r.Body.Priority, 0)), AddedAt: stamp(m.Added),
	}, nil
}

// RemovePortfolioMember takes an intent out of a portfolio.
func (h *Host) RemovePortfolioMember(ctx context.Context,
	r oi.RemovePortfolioMemberRequestObject) (oi.RemovePortfolioMemberResponseObject, error) {
	err := h.engine.RemoveMember(ctx, callerOf(ctx), r.PortfolioID, r.IntentID)
	return oi.RemovePortfolioMember200JSONResponse{Message: "the intent is no member any more"}, err
}

// ListPortfolioMembers shows the members, each once.
func (h *Host) ListPortfolioMembers(ctx context.Context,
	r oi.ListPortfolioMembersRequestObject) (oi.ListPortfolioMembersResponseObject, error) {
	docs, err := h.engine.Members(ctx, r.PortfolioID)
	return oi.ListPortfolioMembers200JSONResponse(docs), err
}

// ListPortfolioEvents shows the log of a portfolio, newest first.
func (h *Host) ListPortfolioEvents(ctx context.Context,
	r oi.ListPortfolioEventsRequestObject) (oi.ListPortfolioEventsResponseObject, error) {
	offset, limit := page(r.Params.Limit, r.Params.Offset)
	docs, err := h.engine.Events(ctx, engine.Feed{Portfolio: r.PortfolioID}, engine.Select{Offset: offset, Limit: limit})
	return oi.ListPortfolioEvents200JSONResponse(docs), err
}

// AdvanceClock is the seam: time passes for one intent, or for a portfolio and its members.
func (h *Host) AdvanceClock(ctx context.Context, r oi.AdvanceClockRequestObject) (oi.AdvanceClockResponseObject, error) {
	now, err := h.Advance(ctx, r.Body.IntentID, r.Body.PortfolioID, time.Duration(r.Body.Seconds*float64(time.Second)))
	return oi.AdvanceClock200JSONResponse{Now: stamp(now)}, err
}

func stamp(t time.Time) string { return t.UTC().Format("2006-01-02T15:04:05.000000Z") }
