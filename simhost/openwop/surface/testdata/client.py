"""Makes every call of the protocol's Python client (openwop-client) to a host, and checks the replies.

    python client.py URL KEY

The host runs the fixtures of OpenWOP v1 and Assay's, and trusts its voters. Exit code 1 and a traceback say what is not as expected.
"""

import secrets
import sys
import time
import warnings

import openwop_client as wop
from openwop_client.types import is_terminal_run_status


class Client(wop.OpenwopClient):
    """Notes which calls are made."""

    def __init__(self, *args, **kwargs):
        super().__init__(*args, **kwargs)
        self.__dict__["made"] = set()

    def __getattribute__(self, name):
        if not name.startswith("_") and name != "made":
            self.made.add(name)
        return super().__getattribute__(name)


def expect(what, got, want):
    if got != want:
        raise AssertionError(f"{what}: got {got!r}, want {want!r}")


def holds(what, true, shown=None):
    if not true:
        raise AssertionError(f"{what}: {shown!r}")


def refused(status, code, call, *args, **kwargs):
    """Makes a call that the host must refuse so, with words and in the envelope that the client reads."""
    try:
        got = call(*args, **kwargs)
    except wop.WopError as err:
        expect(f"{call.__name__} is refused", (err.status, err.envelope and err.envelope.error), (status, code))
        holds("the refusal has words", bool(err.envelope.message), err.raw_text)
        return err
    raise AssertionError(f"{call.__name__} is not refused, but answered {got!r}")


def run(workflow, **more):
    return client.runs_create(wop.CreateRunRequest(workflowId=workflow, **more)).runId


def until(run_id, *statuses):
    """Follows the log of a run until its snapshot has one of the statuses."""
    last = None
    for _ in range(200):
        snapshot = client.runs_get(run_id)
        if snapshot.status in statuses:
            return snapshot
        holds(f"run {run_id} goes on", not is_terminal_run_status(snapshot.status), snapshot)
        page = client.runs_poll_events(run_id, last_sequence=last, timeout_seconds=1)
        if page.events:
            last = page.events[-1].sequence
    raise AssertionError(f"run {run_id} is {snapshot.status}, want {statuses}")


def answer(action, **more):
    return wop.ResolveInterruptRequest(resumeValue={"action": action, **more})


def discovery():
    caps = client.discovery_capabilities()
    expect("the protocol", caps.protocolVersion.split(".")[0], "1")
    holds("the limits", caps.limits.maxLoopIterations >= 1 and caps.limits.clarificationRounds >= 0, caps.limits)
    holds("the transports", "rest" in (caps.supportedTransports or ["rest"]), caps.supportedTransports)
    api = client.discovery_openapi()
    holds("the API document", api["openapi"].startswith("3.1") and "/v1/runs" in api["paths"], list(api))
    workflow = client.workflows_get("conformance-noop")
    expect("the definition", workflow["id"], "conformance-noop")
    refused(404, "not_found", client.workflows_get, "no-such-workflow")


def runs():
    handoff = wop.CreateRunRequest(
        workflowId="conformance-multi-agent-handoff", inputs={}, tags=["client"], metadata={"from": "python"},
        configurable={"maxLoopIterations": 5, "runTimeoutMs": 60000, "own": 1},
    )
    made = client.runs_create(handoff, idempotency_key=mark + "create-1")
    holds("the reply of a create", made.eventsUrl.endswith("/events") and made.statusUrl, made)
    expect("the same key", client.runs_create(handoff, idempotency_key=mark + "create-1"), made)
    # The client sends a null for every option that a RunConfigurable leaves open, and the contract has no null there.
    refused(400, "validation_error", client.runs_create, wop.CreateRunRequest(
        workflowId="conformance-noop", configurable=wop.RunConfigurable(maxLoopIterations=5)))
    refused(409, "idempotency_key_mismatch", client.runs_create, wop.CreateRunRequest(workflowId="conformance-noop"),
            idempotency_key=mark + "create-1")
    done = until(made.runId, "completed")
    expect("the variables", done.variables["parentResult"], "handoff-complete")
    expect("the tags", (done.tags, done.metadata, done.configurable["own"]), (["client"], {"from": "python"}, 1))
    refused(404, "not_found", client.runs_get, "no-such-run")
    refused(404, "not_found", client.runs_create, wop.CreateRunRequest(workflowId="no-such-workflow"))

    page = client.runs_poll_events(made.runId)
    expect("the sequences", [e.sequence for e in page.events], list(range(len(page.events))))
    expect("the log", (page.isComplete, page.events[0].type, page.events[-1].type), (True, "run.started", "run.completed"))
    decided = [e for e in page.events if e.type == "runOrchestrator.decided"]
    expect("the turns", [e.payload["iteration"] for e in decided], [1, 2])
    rest = client.runs_poll_events(made.runId, last_sequence=page.events[2].sequence, timeout_seconds=1)
    expect("the events after a sequence", [e.eventId for e in rest.events], [e.eventId for e in page.events[3:]])

    streamed = list(client.runs_events(made.runId, stream_mode="debug"))
    expect("the stream", [e.eventId for e in streamed], [e.eventId for e in page.events])
    batched = list(client.runs_events(made.runId, stream_mode=("debug", "updates"), buffer_ms=50))
    expect("the stream in batches", [e.eventId for e in batched], [e.eventId for e in page.events])
    resumed = list(client.runs_events(made.runId, stream_mode="debug", last_event_id=str(page.events[2].sequence)))
    expect("the stream after an id", [e.eventId for e in resumed], [e.eventId for e in page.events[3:]])
    expect("the stream alone", list(wop.stream_events(url, key, made.runId, stream_mode="debug")), streamed)
    live = [e.type for e in client.runs_events(run("conformance-delay", inputs={"delayMs": 50}), stream_mode="debug")]
    expect("the stream of a run under way", live[-1], "run.completed")

    child = next(e for e in page.events if e.type == "node.dispatched").payload["childRunId"]
    holds("a run of its own", client.runs_ancestry(made.runId).parent is None)
    parent = client.runs_ancestry(child).parent
    expect("the parent", (parent.runId, parent.cause), (made.runId, "core.dispatch"))
    expect("no run", client.runs_ancestry("no-such-run"), None)

    replay = client.runs_fork(made.runId, wop.ForkRunRequest(fromSeq=0, mode="replay"), idempotency_key=mark + "fork-1")
    expect("the fork", (replay.sourceRunId, replay.mode, replay.fromSeq), (made.runId, "replay", 0))
    until(replay.runId, "completed")
    same = client.runs_diff(made.runId, replay.runId)
    expect("the replay", (same.divergedAtSeq, same.eventDiffs), (None, []))
    branch = client.runs_fork(made.runId, wop.ForkRunRequest(fromSeq=1, mode="branch",
                                                             runOptionsOverlay={"configurable": {"maxLoopIterations": 1}}))
    until(branch.runId, "completed", "failed")
    holds("the branch differs", client.runs_diff(made.runId, branch.runId).divergedAtSeq is not None)
    refused(422, "invalid_from_seq", client.runs_fork, made.runId, wop.ForkRunRequest(fromSeq=9999, mode="branch"))
    return made.runId


def control():
    one, two, three = (run("conformance-approval") for _ in range(3))
    for each in (one, two, three):
        until(each, "waiting-approval")
    expect("a pause", client.runs_pause(one, wop.PauseRunRequest(reason="lunch", drainPolicy="immediate"),
                                        idempotency_key=mark + "pause-1").status, "paused")
    expect("the same pause", client.runs_pause(one, wop.PauseRunRequest(reason="lunch", drainPolicy="immediate"),
                                               idempotency_key=mark + "pause-1").status, "paused")
    refused(409, "run_paused", client.runs_pause, one)
    expect("a resumption", client.runs_resume(one, wop.ResumeRunRequest(reason="back"), idempotency_key=mark + "resume-1").status, "running")
    refused(409, "run_not_paused", client.runs_resume, one)
    until(one, "waiting-approval")
    holds("a cancellation", client.runs_cancel(one, wop.CancelRunRequest(reason="done"), idempotency_key=mark + "cancel-1").status
          in ("cancelled", "cancelling"))
    until(one, "cancelled")
    expect("of what is over", client.runs_cancel(one).status, "cancelled")
    many = client.runs_bulk_cancel(wop.BulkCancelRunsRequest(runIds=[two, "no-such-run", three]), idempotency_key=mark + "bulk-1").results
    expect("the runs", [(r.runId, r.ok) for r in many], [(two, True), ("no-such-run", False), (three, True)])
    expect("why not", many[1].error["error"], "not_found")
    refused(400, "validation_error", client.runs_bulk_cancel, wop.BulkCancelRunsRequest(runIds=[]))
    client.runs_create(wop.CreateRunRequest(workflowId="conformance-approval", scopeId=mark), dedup=True)
    holds("who is active", refused(409, "run_already_active", client.runs_create,
                                   wop.CreateRunRequest(workflowId="conformance-approval", scopeId=mark),
                                   dedup=True).envelope.details["activeRunId"])


def interrupts():
    waiting = until(run("conformance-approval"), "waiting-approval")
    refused(404, "interrupt_not_found", client.interrupts_resolve_by_run, waiting.runId, "no-such-node", answer("accept"))
    refused(422, "validation_error", client.interrupts_resolve_by_run, waiting.runId, waiting.currentNodeId, answer("frob"))
    for _ in range(2):
        got = client.interrupts_resolve_by_run(waiting.runId, waiting.currentNodeId, answer("accept"), idempotency_key=mark + "answer-1")
        expect("an answer", (got.runId, got.nodeId), (waiting.runId, waiting.currentNodeId))
    refused(409, "idempotency_key_mismatch", client.interrupts_resolve_by_run, waiting.runId, waiting.currentNodeId, answer("reject"),
            idempotency_key=mark + "answer-1")
    until(waiting.runId, "completed")
    refused(409, "interrupt_already_resolved", client.interrupts_resolve_by_run, waiting.runId, waiting.currentNodeId, answer("accept"))

    asked = until(run("conformance-clarification"), "waiting-input")
    token = token_of(asked.runId)
    shown = client.interrupts_inspect_by_token(token)
    holds("what a token shows", shown.kind == "clarification" and shown.key and shown.data["questions"], shown)
    answers = wop.ResolveInterruptRequest(resumeValue={"answers": {q["id"]: "yes" for q in shown.data["questions"]}})
    for _ in range(2):
        expect("an answer by token", client.interrupts_resolve_by_token(token, answers, idempotency_key=mark + "token-1")["runId"], asked.runId)
    until(asked.runId, "completed")
    refused(409, "interrupt_already_resolved", client.interrupts_resolve_by_token, token, answers)
    refused(404, "interrupt_not_found", client.interrupts_inspect_by_token, "nonsense")

    timed = until(run("assay-approval", inputs={"timeoutMs": 600000}), "waiting-approval")
    expect("how long it waits", client.interrupts_inspect_by_token(token_of(timed.runId)).timeoutMs, 600000)

    event = until(run("conformance-interrupt-external-event"), "waiting-external", "waiting-input")
    data = client.interrupts_inspect_by_token(token_of(event.runId)).data
    refused(422, "validation_error", client.interrupts_resolve_by_run, event.runId, event.currentNodeId,
            wop.ResolveInterruptRequest(resumeValue={"another": "event"}))
    client.interrupts_resolve_by_run(event.runId, event.currentNodeId,
                                     wop.ResolveInterruptRequest(resumeValue={**data["correlation"], "eventPayload": {"a": 1}}))
    until(event.runId, "completed")

    # Three voters whom the answers name, by key and by token; each has one vote, however often it is cast.
    quorum = until(run("conformance-interrupt-quorum"), "waiting-approval")
    for _ in range(2):
        client.interrupts_resolve_by_run(quorum.runId, quorum.currentNodeId, answer("accept", voter="approver-1"))
    refused(409, "interrupt_already_resolved", client.interrupts_resolve_by_run, quorum.runId, quorum.currentNodeId,
            answer("reject", voter="approver-1"))
    client.interrupts_resolve_by_token(token_of(quorum.runId), answer("accept", voter="approver-2"))
    expect("two of three votes", client.runs_get(quorum.runId).status, "waiting-approval")
    client.interrupts_resolve_by_run(quorum.runId, quorum.currentNodeId, answer("accept", voter="approver-3"))
    until(quorum.runId, "completed")
    rejected = until(run("conformance-interrupt-quorum"), "waiting-approval")
    for voter in ("approver-1", "approver-2"):
        client.interrupts_resolve_by_run(rejected.runId, rejected.currentNodeId, answer("reject", voter=voter))
    until(rejected.runId, "failed")


def token_of(run_id):
    """The token of a waiting run stands in its snapshot, in a member that the client does not map."""
    return client._request_json("GET", f"/v1/runs/{run_id}")["interrupt"]["interruptToken"]


def files():
    path = "notes/plan of the client.md"
    refused(400, "validation_error", client.put_workspace_file, path, wop.PutWorkspaceFileRequest(content="a"))
    path = mark + "/plan.md"
    one = client.put_workspace_file(path, wop.PutWorkspaceFileRequest(content="one", contentType="text/plain"), idempotency_key=mark + "put-1")
    expect("a new file", (one.path, one.content, one.version, one.contentType), (path, "one", 1, "text/plain"))
    expect("the same key", client.put_workspace_file(path, wop.PutWorkspaceFileRequest(content="one", contentType="text/plain"),
                                                     idempotency_key=mark + "put-1"), one)
    refused(409, "idempotency_key_mismatch", client.put_workspace_file, path, wop.PutWorkspaceFileRequest(content="two"),
            idempotency_key=mark + "put-1")
    two = client.put_workspace_file(path, wop.PutWorkspaceFileRequest(content="two"), if_match=one.etag)
    expect("the next version", two.version, 2)
    stale = refused(409, "workspace_conflict", client.put_workspace_file, path, wop.PutWorkspaceFileRequest(content="x"), if_match=one.etag)
    expect("the version there is", stale.envelope.details["currentVersion"], 2)
    refused(413, "workspace_too_large", client.put_workspace_file, path, wop.PutWorkspaceFileRequest(content="x" * 70000))
    expect("the file", client.get_workspace_file(path), two)
    expect("as it was", client.get_workspace_file(path, version=1).content, "one")
    expect("no file", client.get_workspace_file("no-such-file.md"), None)
    expect("the list", [(f.path, f.version) for f in client.list_workspace_files(prefix=mark)], [(path, 2)])
    holds("the whole list", path in [f.path for f in client.list_workspace_files()])
    for _ in range(2):
        expect("a deletion", client.delete_workspace_file(path, idempotency_key=mark + "delete-1"), True)
    expect("of what is gone", client.delete_workspace_file(path), False)


def events():
    """The client's own reading of an event knows what the host emits."""
    told = client.runs_poll_events(remembering()).events
    written = [wop.memory_written_payload(e) for e in told if wop.is_memory_written(e)]
    holds("memory was written", written and written[0]["memoryRef"] and written[0]["memoryId"], [e.type for e in told])


def remembering():
    inputs = {"plan": [{"kind": "next-worker", "nextWorkerIds": ["assay-memory-worker"]}, {"kind": "terminate"}]}
    run_id = run("assay-loop-memory", inputs=inputs)
    until(run_id, "completed")
    told = client.runs_poll_events(run_id).events
    return next((e.payload["childRunId"] for e in told if e.type == "node.dispatched"), run_id)


def absent(run_id):
    """What the host does not offer it refuses as the protocol says, so that the client takes it for absent."""
    for call, *args in (
        (client.runs_debug_bundle, run_id), (client.list_annotations, run_id), (client.content_list_pages,),
        (client.content_get_page, "home"), (client.content_get_settings,), (client.agents_list,), (client.agents_get, "a"),
        (client.agents_list_deployments, "a"), (client.agents_list_roster,), (client.agents_get_roster_entry, "r"),
        (client.agents_get_org_chart,), (client.tools_list,), (client.tools_get, "t"), (client.tools_list_compact,),
        (client.runs_eval_summary, run_id), (client.runs_get_artifact, run_id, "a"),
    ):
        expect(f"{call.__name__}", call(*args), None)
    expect("a bounded bundle", client.runs_debug_bundle(run_id, max_events=3), None)
    expect("a page in a language", client.content_get_page("home", accept_language="de"), None)
    expect("a department", client.agents_get_org_chart_department("d", recursive=False), None)
    page = wop.LocalizedContentPage(pageId="p", slug="home", name="Home", status="draft", sectionOrder=[])
    settings = wop.LocalizedContentLanguageSettings(baseLocale="en", supportedLocales=["de"], autoTranslateOnPublish=False)
    prompt = wop.PromptTemplate(templateId="p", version="1.0.0", kind="user", text="Hello")
    for call, *args in (
        (client.create_annotation, run_id, wop.CreateAnnotationRequest(signal={"kind": "rating", "value": 5})),
        (client.content_create_page, page), (client.content_delete_page, "p"),
        (client.content_put_section, "p", "s", wop.PutContentSectionRequest(locale="en", data={})),
        (client.content_put_settings, settings),
        (client.create_trigger_subscription, wop.TriggerSubscriptionRegistration(source={"kind": "form"}, workflowId="conformance-noop")),
        (client.prompts_list, wop.ListPromptsRequest(kind="user", limit=2)), (client.prompts_get, "p"),
        (client.prompts_create, prompt), (client.prompts_update, "p", prompt), (client.prompts_delete, "p"),
        (client.prompts_render, wop.RenderPromptRequest(ref="prompt:p", variables={})),
    ):
        holds("the capability", refused(501, "capability_not_provided", call, *args).envelope.details["requiredCapability"])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)
        for call, *args in (
            (client.audit_verify, 0, 1), (client.webhooks_unregister, "w", "local"), (client.webhooks_unregister, "w"),
            (client.webhooks_register, wop.RegisterWebhookRequest(url="https://example.com/hook", events=["run.completed"])),
            (client.webhooks_rotate_secret, "w", "local", wop.RotateWebhookSecretRequest(secret="whsec_" + "A" * 32)),
            (client.agents_transition_deployment, "a", wop.AgentDeploymentTransition(version="1.0.0", transition="promote")),
        ):
            refused(404, "not_found", call, *args)


def strangers():
    stranger = wop.OpenwopClient(base_url=url, api_key="nobody's")
    refused(401, "unauthenticated", stranger.runs_get, "no-such-run")
    expect("discovery asks for no key", stranger.discovery_capabilities(), client.discovery_capabilities())


url, key = sys.argv[1:3]
mark = secrets.token_hex(4)  # in all names, so that the calls can be made to the same host again
client = Client(base_url=url, api_key=key)
began = time.monotonic()
discovery()
finished = runs()
control()
interrupts()
files()
events()
absent(finished)
strangers()
calls = {name for name in dir(wop.OpenwopClient) if not name.startswith("_")}
holds("every call is made", not calls - client.made, sorted(calls - client.made))
print(f"{len(calls)} calls of openwop-client {wop.__version__} in {time.monotonic() - began:.1f} s")
