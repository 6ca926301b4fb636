#!/usr/bin/env python3
"""A tiny agent of RFC-103 that never asks for a tool: it takes every start for done at once, and forgets to say so in its state."""
import json
import sys

request = json.load(sys.stdin)
event = request.get("event") or {}
if event.get("type") not in ("agentic.start", "api.trigger"):
    print(json.dumps({"status": "error", "error": "I only start", "retry": False}))
else:
    goal = event.get("payload", {}).get("goal")
    print(json.dumps({"status": "ok", "result": "done", "events": [
        {"type": "agent.completed", "payload": {"run_id": request["job_id"], "goal": goal, "outcome": "done", "steps_taken": 0, "artifacts": []}}]}))
