// Ask agentltl-hook about tool calls: one process an event, one JSON object each way.
import { spawnSync } from "node:child_process";

/** @param {string} session @param {string} project @param {string} [program] */
export function guard(session, project, program = "agentltl-hook") {
  /** @param {string} event @param {object} fields */
  function ask(event, fields = {}) {
    const input = JSON.stringify({ protocol: 1, event, session, project, cwd: project, ...fields });
    const done = spawnSync(program, ["hook", "generic"], { input, encoding: "utf8" });
    if (done.status !== 0) return { decision: "deny", reason: done.stderr }; // no answer is a refusal
    return JSON.parse(done.stdout);
  }
  /** @param {string} id @param {string} tool @param {object} args @param {(args: object) => {result: unknown, status: number}} call */
  function run(id, tool, args, call) {
    const answer = ask("pre", { id, tool, args });
    if (answer.decision !== "allow") return answer.reason ?? "refused";
    const { result, status } = call(args);
    ask("post", { id, tool, args, status, result });
    return result;
  }
  return { ask, run };
}
