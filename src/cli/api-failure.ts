import { ApiError, BROKEN_ANSWER, type Explanation, UNREACHABLE } from "../client/index.ts";
import { EXIT } from "./exit-code.ts";
import type { Io } from "./io.ts";
import { printable } from "./terminal-text.ts";

/** Codes of the launch gates. Each of them can refuse to start a run. */
const LAUNCH_GATES = new Set([
  "platform_closed",
  "workflow_paused",
  "gateway_unreachable",
  "posture_forbidden",
  "budget_exceeded",
  "policy_blocked",
  "rate_limited",
]);

/** Prints a refusal or a missing answer of a server, and returns the exit code. Null when the error is not from the API. */
export function printApiFailure(io: Io, thrown: unknown): number | null {
  if (!(thrown instanceof ApiError)) return null;
  if (thrown.status === 0 || thrown.code === BROKEN_ANSWER) return printNoAnswer(io, thrown);
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

/** Prints the actions that would unblock the request, one per line. */
function printUnblock(io: Io, explanation: Explanation | null): void {
  for (const { action, target, detail } of explanation?.unblock ?? []) {
    io.err.write(`  hint: ${printable(action)} ${printable(target)}: ${printable(detail)}\n`);
  }
}

function printNoAnswer(io: Io, { status, code, detail, hint }: ApiError): number {
  io.err.write(`sluice: ${printable(detail)}\n`);
  const how = code === UNREACHABLE ? "start it with `sluice up`, or name the right one with SLUICE_URL or --url" : hint;
  if (how !== null) io.err.write(`  hint: ${printable(how)}\n`);
  return exitCodeOf(status, code);
}

/** Codes of answers that do not come from a Sluice server. */
const FOREIGN: ReadonlySet<string> = new Set([BROKEN_ANSWER, "unknown_error"]);

function exitCodeOf(status: number, code: string): number {
  if (LAUNCH_GATES.has(code)) return EXIT.refused;
  if (status === 401 || status === 403) return EXIT.notPermitted;
  if (status === 0 || status >= 500 || status === 429 || FOREIGN.has(code)) return EXIT.unreachable;
  return EXIT.badUsage;
}
