#!/usr/bin/env python3
"""A naive agent of RFC-103: it knows the happy path, and little else.

What it gets wrong, on purpose:
  a result that comes again, or late, escalates the run in place of being ignored;
  nobody tells it which tools are allowed;
  what it does not expect ends in a traceback on standard output.
"""
import datetime
import hashlib
import json
import sys
import traceback

TOOLS = ["fetch", "fabric"]


def now():
    return datetime.datetime.now(datetime.timezone.utc).isoformat()


def answer(events=(), runs=None, last=None, log=None):
    body = {"status": "ok", "result": "turn done", "events": list(events), "logs": []}
    if runs is not None:
        body["state_updates"] = {"runs": runs, "last_run_id": last}
    if log:
        body["logs"] = [{"level": log[0], "message": log[1]}]
    return body


def refuse(why):
    return {"status": "error", "error": why, "retry": False}


def ask(run_id, run, step):
    tool = TOOLS[(step - 1) % len(TOOLS)]
    run.update(step=step, pending_step=step, pending_tool=tool, updated_at=now())
    return {
        "type": "agentic.tool_request." + tool,
        "dedupe_key": "agentic:run:%s:step:%d:request" % (run_id, step),
        "payload": {"run_id": run_id, "step": step, "tool": tool, "tool_command": "handle",
                    "tool_payload": {"goal": run["goal"]}, "requested_at": now()},
    }


def end(run_id, run, status, event, **more):
    run.update(status=status, pending_step=None, pending_tool=None, updated_at=now())
    return {"type": event, "payload": dict(run_id=run_id, **more)}


def start(request, runs):
    payload = request["event"]["payload"]
    goal = payload.get("goal")
    if not isinstance(goal, str) or not goal.strip():
        return refuse("a start needs a goal")
    if len(goal) > 100000:
        return refuse("the goal is too long")
    key = request["event"].get("dedupe_key") or request["job_id"]
    run_id = hashlib.sha256(key.encode()).hexdigest()[:24]
    if run_id in runs:
        return answer(log=("info", "started before"))
    runs[run_id] = {"status": "running", "goal": goal, "created_at": now(), "reframes": 0,
                    "max_steps": int(request["config"].get("max_steps", 20)), "max_reframes": 2}
    request_event = ask(run_id, runs[run_id], 1)
    if len(json.dumps(runs)) > 1000000:
        return refuse("the state is full")
    return answer([request_event], runs, run_id)


def resume(request, runs):
    p = request["event"]["payload"]
    run_id, step, tool = p.get("run_id"), p.get("step"), p.get("tool")
    if not isinstance(run_id, str) or type(step) is not int or step < 1 or not isinstance(tool, str):
        return refuse("a result names run_id, step and tool")
    run = runs.get(run_id)
    if run is None:
        return answer(log=("warn", "unknown run"))
    if run["status"] != "running":
        return answer(log=("info", "the run is over"))
    if step != run["pending_step"]:  # wrong: a lower one is to be ignored
        return answer([end(run_id, run, "escalated", "agent.escalated", reason="step_mismatch")], runs, run_id)
    if tool != run["pending_tool"]:
        return answer([end(run_id, run, "escalated", "agent.escalated", reason="tool_mismatch")], runs, run_id)
    if p.get("status") != "ok":
        return answer([end(run_id, run, "escalated", "agent.escalated", reason="tool_error")], runs, run_id)
    if step >= run["max_steps"]:
        return answer([end(run_id, run, "escalated", "agent.escalated", reason="max_steps_exceeded")], runs, run_id)
    if step == 4:
        done = end(run_id, run, "done", "agent.completed", goal=run["goal"], outcome="as asked", steps_taken=step, artifacts=[])
        return answer([done], runs, run_id)
    return answer([ask(run_id, run, step + 1)], runs, run_id)


def main():
    request = json.loads(sys.stdin.read())
    runs = request["state"].get("runs", {})
    kind = (request.get("event") or {}).get("type")
    if request["command"] != "handle":
        return refuse("unknown command")
    if kind in ("agentic.start", "api.trigger"):
        return start(request, runs)
    if kind == "agentic.tool_result":
        return resume(request, runs)
    return refuse("unknown event")


try:
    print(json.dumps(main()))
except Exception:  # wrong: this is no response
    traceback.print_exc(file=sys.stdout)
    sys.exit(1)
