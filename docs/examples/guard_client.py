"""Ask agentltl-hook about tool calls: one process an event, one JSON object each way."""

import json
import subprocess


class Guard:
    def __init__(self, session, project, program="agentltl-hook"):
        self.base = {"protocol": 1, "session": session, "project": project, "cwd": project}
        self.command = [program, "hook", "generic"]

    def ask(self, event, **fields):
        payload = json.dumps({**self.base, "event": event, **fields})
        done = subprocess.run(self.command, input=payload, capture_output=True, text=True)
        if done.returncode != 0:  # no answer could be given: that is a refusal
            return {"decision": "deny", "reason": done.stderr.strip()}
        return json.loads(done.stdout)

    def run(self, call_id, tool, args, function):
        answer = self.ask("pre", id=call_id, tool=tool, args=args)
        if answer["decision"] != "allow":
            return answer.get("reason", "refused")
        result, status = function(**args)
        self.ask("post", id=call_id, tool=tool, args=args, status=status, result=result)
        return result
