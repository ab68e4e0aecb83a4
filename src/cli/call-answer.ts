import type { Approval } from "../client/index.ts";
import { isJsonObject, type Json, type JsonObject } from "../core/base/index.ts";
import type { Decision } from "../core/event/index.ts";
import { diffText } from "../core/text/index.ts";
import { argsNotWhole, isOutcomeUnknown, shownText } from "../core/view/index.ts";
import type { Io } from "./io.ts";
import { Refusal } from "./refusal.ts";
import { printable } from "./terminal-text.ts";

/** JSON options for the approval of a tool call. */
export interface CallOptions {
  /** Args that replace all args of the call. */
  readonly args?: string;
  /** The result of a call that never reported one. */
  readonly result?: string;
}

/** Returns the changes that an answer makes to a tool call. Null when there are none. */
export function callChanges(
  { id, subject, choices }: Approval,
  decision: Decision,
  { args, result }: CallOptions,
): JsonObject | null {
  const name = printable(id);
  const isUnknown = isOutcomeUnknown(choices);
  if (args === undefined && result === undefined) {
    if (subject?.call === undefined || !isUnknown || decision !== "approve") return null;
    throw new Refusal(`${name}: to approve means that the call was made; give what it returned with --result JSON`);
  }
  if (subject?.call === undefined) throw new Refusal(`${name} is not about a tool call; leave --args and --result out`);
  if (args !== undefined && result !== undefined)
    throw new Refusal("--args and --result exclude each other: a call that was made cannot be changed");
  if (args !== undefined && isUnknown)
    throw new Refusal(`${name}: the call may have been made; give --result, or answer with --choice retry`);
  if (result !== undefined && !isUnknown)
    throw new Refusal(`${name}: the call has not been made, so that it has no result; leave --result out`);
  if (result !== undefined) return { result: readJson("--result", result) };
  const read = readJson("--args", args ?? "");
  if (!isJsonObject(read)) throw new Refusal('--args: write an object, such as {"amount": 450}');
  return { args: read };
}

export function readJson(where: string, text: string): Json {
  try {
    return JSON.parse(text) as Json;
  } catch {
    throw new Refusal(`${where} ${printable(text)}: this is not JSON; a text needs quotes: '"done"'`);
  }
}

/** Returns the args of a call. Throws when they are not completely known here or can no longer be changed. */
export function editableArgs({ id, subject, choices }: Approval): JsonObject {
  const args = subject?.call?.args ?? {};
  const name = printable(id);
  if (isOutcomeUnknown(choices))
    throw new Refusal(
      `${name}: the call may have been made; answer with: sluice approvals approve ${name} --result JSON`,
    );
  const missing = argsNotWhole(args);
  if (missing.length === 0) return args;
  throw new Refusal(
    `${name}: ${missing.map(printable).join(", ")} cannot be shown whole; give all args with: sluice approvals approve ${name} --args JSON`,
  );
}

export function printArgsDiff(io: Io, { subject }: Approval, modifications: JsonObject | null): void {
  const args = modifications?.["args"];
  if (args === undefined) return;
  io.err.write("args\n");
  const lines = diffText(shownText(subject?.call?.args), shownText(args)).split("\n");
  for (const line of lines) io.err.write(`  ${printable(line)}\n`);
}
