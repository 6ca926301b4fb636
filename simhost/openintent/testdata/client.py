"""Works through the protocol's own Python client (package openintent) against a server: client.py URL KEY.

Each part prints its name when it is through. The first thing that is not as it should be ends the program with exit 1.
"""

import asyncio
import os
import sys
import threading
import time
import traceback

import httpx
import openintent
from openintent import agents, models
from openintent.client import AsyncOpenIntentClient, OpenIntentClient

URL, KEY = sys.argv[1], sys.argv[2]
PATIENCE = 60.0  # how long something may take that has to happen

client = OpenIntentClient(URL, KEY, "planner")
wire = httpx.Client(base_url=URL + "/api/v1", headers={"X-API-Key": KEY})


def expect(what, got, want):
    if got != want:
        raise AssertionError(f"{what}: {got!r}, want {want!r}")


def refused(kind, status, call, *args, **more):
    """Expects the client to raise an error of a kind for a status."""
    try:
        call(*args, **more)
    except kind as err:
        expect(f"the status of {err}", err.status_code, status)
        return
    raise AssertionError(f"{call.__name__} was not refused with {status}")


def until(what, look):
    """Looks until there is something to see."""
    end = time.monotonic() + PATIENCE
    while time.monotonic() < end:
        if seen := look():
            return seen
        time.sleep(0.02)
    raise AssertionError(f"{what}: not within {PATIENCE} s")


def active(title, **more):
    """Makes an intent that is worked on."""
    made = client.create_intent(title, **more)
    return client.set_status(made.id, made.version, models.IntentStatus.ACTIVE)


def told(intent_id):
    """Lists the types of the log, oldest first. The client fails on a type that it does not know."""
    return [e.event_type.value for e in reversed(client.get_events(intent_id))]


def intents():
    expect("the protocol", client.discover()["protocol"], "openintent")
    made = client.create_intent("Order paper", description="two boxes", constraints={"budget": 40}, initial_state={"asked": 1})
    expect("a new intent", (made.status.value, made.version, made.state.to_dict(), made.created_by), ("draft", 1, {"asked": 1}, "planner"))
    now = client.set_status(made.id, made.version, models.IntentStatus.ACTIVE, reason="starts")
    now = client.update_state(made.id, now.version, {"asked": 2, "shop": {"name": "corner"}})
    expect("its state", now.state.to_dict(), {"asked": 2, "shop": {"name": "corner"}})
    refused(openintent.ConflictError, 409, client.update_state, made.id, 1, {"asked": 3})
    refused(openintent.NotFoundError, 404, client.get_intent, "nobody-made-this")
    note = client.log_event(made.id, models.EventType.COMMENT, {"text": "called"})
    expect("a comment", (note.actor, note.payload), ("planner", {"text": "called"}))
    expect("the comments", [e.id for e in client.get_events(made.id, event_type=models.EventType.COMMENT)], [note.id])
    listed = {i.id: i.status for i in client.list_intents(status=models.IntentStatus.ACTIVE)}
    expect("the list has it", listed.get(made.id), models.IntentStatus.ACTIVE)
    done = client.set_status(made.id, now.version, models.IntentStatus.COMPLETED)
    expect("its end", (client.get_intent(made.id).status, done.version), (models.IntentStatus.COMPLETED, now.version + 1))
    expect("its log", told(made.id), ["intent_created", "status_changed", "state_patched", "comment", "status_changed"])
    expect("a title and an author without letters", client.create_intent("").title, "")


def leases():
    work = active("Print")
    with client.lease(work.id, "press", duration_seconds=60) as held:
        expect("a lease", (held.scope, held.status), ("press", models.LeaseStatus.ACTIVE))
        refused(openintent.LeaseConflictError, 409, client.acquire_lease, work.id, "press")
        longer = client.renew_lease(work.id, held.id, duration_seconds=600)
        expect("a renewed lease lasts longer", longer.expires_at > held.expires_at, True)
        expect("the leases", [x.id for x in client.get_leases(work.id)], [held.id])
    expect("a lease that was given back", client.get_leases(work.id)[0].status, models.LeaseStatus.RELEASED)
    expect("the log", told(work.id)[2:], ["lease_acquired", "lease_released"])


def graph():
    top = active("Move house")
    pack = client.create_child_intent(top.id, "Pack")
    drive = client.create_child_intent(top.id, "Drive", depends_on=[pack.id])
    expect("the parent", drive.parent_intent_id, top.id)
    expect("the children", {i.id for i in client.get_children(top.id)}, {pack.id, drive.id})
    expect("what waits", ([i.id for i in client.get_ready_intents(top.id)], [i.id for i in client.get_blocked_intents(top.id)]),
           ([pack.id], [drive.id]))
    expect("around one", ([i.id for i in client.get_ancestors(drive.id)], [i.id for i in client.get_dependencies(drive.id)],
                          [i.id for i in client.get_dependents(pack.id)], len(client.get_descendants(top.id))),
           ([top.id], [pack.id], [drive.id], 2))
    now = client.remove_dependency(drive.id, pack.id, drive.version)
    client.add_dependency(drive.id, pack.id, now.version)
    expect("the graph", len(client.get_intent_graph(top.id)["nodes"]), 3)
    expect("the log", told(drive.id), ["intent_created", "dependency_removed", "dependency_added"])


def portfolios():
    kept = client.create_portfolio("Spring", metadata={"season": 1})
    one, two = active("Sow"), active("Water")
    member = client.add_intent_to_portfolio(kept.id, one.id, role=models.MembershipRole.PRIMARY, priority=3)
    expect("a membership", (member.portfolio_id, member.intent_id, member.role, member.priority),
           (kept.id, one.id, models.MembershipRole.PRIMARY, 3))
    client.add_intent_to_portfolio(kept.id, two.id)
    read = client.get_portfolio(kept.id)
    expect("a portfolio", (read.name, read.status, read.aggregate_status.total), ("Spring", models.PortfolioStatus.ACTIVE, 2))
    expect("its members", [i.id for i in client.get_portfolio_intents(kept.id)[0]], [one.id, two.id])
    expect("the portfolios of a member", [p.id for p in client.get_intent_portfolios(one.id)], [kept.id])
    expect("the portfolios of an agent", kept.id in [p.id for p in client.list_portfolios(created_by="planner")], True)
    client.remove_intent_from_portfolio(kept.id, two.id)
    client.update_portfolio_status(kept.id, models.PortfolioStatus.COMPLETED)
    expect("its status", client.get_portfolio(kept.id).status, models.PortfolioStatus.COMPLETED)


def tasks():
    work = active("Bake")
    task = client.create_task(work.id, "Knead", priority="high", input={"flour": 500})
    plan = client.create_plan(work.id, tasks=[task.id])
    for state in ("active", "paused", "active", "completed"):
        plan = client.update_plan(plan.id, plan.version, state=state)
    expect("a plan", client.list_plans(work.id)[0].state, models.PlanState.COMPLETED)
    for status in ("claimed", "running", "blocked", "running", "completed"):
        task = client.update_task(task.id, task.version, status=status)
    expect("a task", client.get_task(task.id).status, models.TaskStatus.COMPLETED)
    expect("the tasks", [t.id for t in client.list_tasks(work.id, status=models.TaskStatus.COMPLETED)], [task.id])
    expect("the log", told(work.id)[2:], [
        "task.created", "plan.created", "plan.activated", "plan.paused", "plan.resumed", "plan.completed",
        "task.claimed", "task.started", "task.blocked", "task.unblocked", "task.completed"])
    watch = client.create_coordinator_lease("warden", intent_id=work.id)
    expect("a coordinator", client.get_coordinator_lease(watch.id).agent_id, "warden")
    expect("its heartbeat", client.coordinator_heartbeat(watch.id)["status"], "ok")
    expect("the coordinators", [c.id for c in client.list_coordinator_leases(work.id)], [watch.id])


def assignments():
    work = active("Paint", governance_policy={"allowed_agents": ["painter", "agent"]})
    made = client.assign_agent(work.id, "painter")
    expect("an assignment", (made["intent_id"], made["agent_id"], made["role"]), (work.id, "painter", "worker"))
    refused(openintent.OpenIntentError, 403, client.assign_agent, work.id, "stranger")
    refused(openintent.NotFoundError, 404, client.assign_agent, "nobody-made-this", "painter")
    client.unassign_agent(work.id, "painter")
    refused(openintent.NotFoundError, 404, client.unassign_agent, work.id, "painter")
    expect("the log", told(work.id)[2:], ["agent_assigned", "governance.violation", "agent_unassigned"])


class InEitherOrder(AsyncOpenIntentClient):
    """The loops of release 0.17.0 call set_status with the status before the version, which its client cannot carry out."""

    async def set_status(self, intent_id, version, status, reason=None):
        if isinstance(version, models.IntentStatus):
            version, status = status, version
        return await super().set_status(intent_id, version, status, reason)


agents.AsyncOpenIntentClient = InEitherOrder

slowly = asyncio.sleep
asyncio.sleep = lambda seconds, *more: slowly(min(seconds, 0.05), *more)  # the loops look every two seconds

POLICY = models.HumanRetryPolicy(
    max_attempts=3, interval_seconds=1, final_fallback_policy="complete_with_fallback",
    escalation_ladder=[models.EscalationStep(attempt=2, channel_hint="email", notify_to="boss@example.com")])


class Buyer(agents.BaseAgent):
    """Asks a person before it buys, and reminds them."""

    _agent_id = "buyer"  # the decorator Agent of release 0.17.0 makes agents whose run calls itself

    def __init__(self):
        super().__init__(URL, KEY)
        self.asked, self.answers, self.completed, self.busy = [], {}, [], set()

    @agents.on_assignment
    async def buy(self, intent):
        if intent.id in self.busy:
            return None  # it is told of each assignment
        self.busy.add(intent.id)
        self.answers[intent.id] = await self.request_input(
            intent.id, "May I buy it?", choices=[{"value": "yes", "label": "Yes"}, {"value": "no", "label": "No"}],
            timeout_seconds=1, fallback_value="later", retry_policy=POLICY)
        return {"bought": self.answers[intent.id]}

    @agents.on_input_requested
    async def ask(self, intent, suspension):
        self.asked.append((intent.id, suspension.id, suspension.context.get("_attempt", 1)))

    @agents.on_complete
    async def end(self, intent):
        self.completed.append(intent.id)


def start(agent):
    """Runs an agent until the program ends: it waits on its stream, and cannot be stopped before."""
    threading.Thread(target=agent.run, daemon=True).start()
    return agent


def give(agent_id, intent_id, there):
    """Assigns until the agent has begun: an assignment from before it listened does not reach it."""

    def again():
        if not there():
            client.assign_agent(intent_id, agent_id)
            time.sleep(0.1)
        return there()

    until(f"{agent_id} begins", again)


def suspension_of(intent_id):
    return client.get_intent(intent_id).state.to_dict().get("_suspension") or {}


def asks_a_person():
    buyer = start(Buyer())
    work = active("Buy a lamp")
    give("buyer", work.id, lambda: work.id in buyer.busy)
    until("the first reminder", lambda: (work.id, suspension_of(work.id).get("id"), 2) in buyer.asked)
    sid = suspension_of(work.id)["id"]
    expect("an answer that is none of the choices", wire.post(
        f"/intents/{work.id}/suspend/respond", json={"suspension_id": sid, "value": "perhaps"}).status_code, 422)
    answer = wire.post(f"/intents/{work.id}/suspend/respond", json={"suspension_id": sid, "value": "yes", "responded_by": "ann"})
    expect("an answer", (answer.status_code, answer.json()["choice_label"]), (200, "Yes"))
    until("the agent goes on", lambda: client.get_intent(work.id).state.to_dict().get("bought") == "yes")
    log = told(work.id)
    for kind in ("intent.suspended", "intent.suspension_renotified", "intent.suspension_escalated", "intent.resumed"):
        expect(f"{kind} on the log", log.count(kind), 1)
    expect("how often the agent was asked to tell a person", [a for i, s, a in buyer.asked if i == work.id], [1, 2])
    now = client.get_intent(work.id)
    client.set_status(work.id, now.version, models.IntentStatus.COMPLETED)
    until("the agent is told of the end", lambda: work.id in buyer.completed)

    # Nobody answers the next one: the server ends it, and the agent goes on with what was to be taken then.
    work = active("Buy a chair")
    give("buyer", work.id, lambda: work.id in buyer.busy)
    until("the fallback", lambda: buyer.answers.get(work.id))
    until("the end of the window", lambda: suspension_of(work.id).get("resolution") == "expired")
    log = client.get_events(work.id)
    attempts = [e.payload["attempt"] for e in reversed(log) if e.event_type.value == "intent.suspension_renotified"]
    expect("the reminders of a question that nobody answers", attempts, [2, 3])
    kinds = [e.event_type.value for e in log]
    expect("how it was told", (kinds.count("intent.suspended"), kinds.count("intent.suspension_escalated"),
                               kinds.count("intent.suspension_expired")), (1, 1, 1))
    expect("what the agent took", buyer.answers[work.id], "later")


def works():
    """A worker completes what it is assigned to."""
    seen = []

    def handle(intent):
        seen.append(intent.id)
        return {"swept": True}

    start(agents.Worker("sweeper", handle, base_url=URL, api_key=KEY))
    work = active("Sweep")
    give("sweeper", work.id, lambda: work.id in seen)
    until("it is completed", lambda: client.get_intent(work.id).status == models.IntentStatus.COMPLETED)
    expect("what it leaves", client.get_intent(work.id).state.to_dict(), {"swept": True})


def streams():
    work, heard = active("Listen"), []

    def listen():
        for event in client.subscribe_sse(work.id):
            heard.append(event)
            break

    threading.Thread(target=listen, daemon=True).start()

    def told_again():
        client.log_event(work.id, models.EventType.COMMENT, {"text": "hello"})
        time.sleep(0.05)
        return heard

    until("an event on the stream", told_again)
    expect("what the stream carries", (heard[0].type, heard[0].intent_id), ("comment", work.id))


def main():
    for part in (intents, leases, graph, portfolios, tasks, assignments, streams, works, asks_a_person):
        try:
            part()
        except Exception:
            traceback.print_exc()
            print("failed:", part.__name__, flush=True)
            os._exit(1)
        print("through:", part.__name__, flush=True)
    os._exit(0)  # the agents wait on their streams


main()
