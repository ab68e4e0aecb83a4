import { ApiProblem, type Explanation } from "../client/index.ts";
import { Unreachable } from "./api.ts";
import { EXIT } from "./exit-code.ts";
import type { Io } from "./io.ts";
import { printable } from "./terminal-text.ts";

/** The launch gates: each of them may keep a run from being started at all. */
const LAUNCH_GATES = new Set([
  "platform_closed",
  "workflow_paused",
  "gateway_unreachable",
  "posture_forbidden",
  "budget_exceeded",
  "policy_blocked",
  "rate_limited",
]);

/** Says what a server said no to, or that it said nothing; null when the failure is none of a server's. */
export function printApiFailure(io: Io, thrown: unknown): number | null {
  if (thrown instanceof Unreachable) {
    io.err.write(`sluice: ${printable(thrown.message)}\n`);
    return EXIT.unreachable;
  }
  if (!(thrown instanceof ApiProblem)) return null;
  const { status, code, message, problems, explanation, requestId } = thrown;
  for (const problem of problems) {
    const place = problem.path === "" ? "" : `${printable(problem.path)}: `;
    io.err.write(`${place}${problem.code}: ${printable(problem.message)}\n`);
    if (problem.hint !== undefined) io.err.write(`  hint: ${printable(problem.hint)}\n`);
  }
  const request = status >= 500 && requestId !== null ? ` (request ${printable(requestId)})` : "";
  const wanted = code.startsWith("token_") ? "a token that is valid now" : "a key of this server";
  const hint = status === 401 ? ` Set SLUICE_KEY or --key to ${wanted}.` : "";
  io.err.write(`sluice: ${printable(code)}: ${printable(message)}${hint}${request}\n`);
  printUnblock(io, explanation);
  return exitCodeOf(status, code);
}

/** What would let it through, a line each. */
export function printUnblock(io: Io, explanation: Explanation | null): void {
  for (const { action, target, detail } of explanation?.unblock ?? []) {
    io.err.write(`  hint: ${printable(action)} ${printable(target)}: ${printable(detail)}\n`);
  }
}

function exitCodeOf(status: number, code: string): number {
  if (LAUNCH_GATES.has(code)) return EXIT.refused;
  if (status === 502 || status === 503 || status === 504 || status === 429) return EXIT.unreachable;
  return status >= 500 ? EXIT.runFailed : EXIT.badUsage;
}
