import type { ApprovalStatus, Decision } from "../core/event/index.ts";
import type { Approval, ApprovalsQuery } from "../client/index.ts";
import type { Json, JsonObject } from "../core/base/index.ts";
import type { Api } from "./api.ts";
import { printApproval } from "./approval-text.ts";
import { type CallOptions, callChanges, printArgsDiff } from "./call-answer.ts";
import { EXIT } from "./exit-code.ts";
import { type Io, isAtTerminal } from "./io.ts";
import { formatWhen, type ListOptions, pageOf, printJson, printList } from "./listing.ts";
import { Refusal } from "./refusal.ts";
import { oneLine, printable } from "./terminal-text.ts";

export interface ListApprovalsOptions extends ListOptions {
  readonly status: ApprovalStatus | "closed" | "all";
  readonly mine?: boolean;
  readonly workflow?: string;
  readonly assignee?: string;
  readonly olderThan?: string;
  readonly search?: string;
}

export async function listApprovals(io: Io, api: Api, options: ListApprovalsOptions): Promise<number> {
  const { status, mine, workflow, assignee, olderThan, search } = options;
  const query: ApprovalsQuery = {
    ...(status === "all" ? {} : { status }),
    ...(mine === true ? { mine: "true" } : {}),
    ...(workflow === undefined ? {} : { workflow }),
    ...(assignee === undefined ? {} : { assignee }),
    ...(olderThan === undefined ? {} : { older_than: olderThan }),
    ...(search === undefined ? {} : { q: search }),
    ...pageOf(options),
  };
  const now = io.clock.now();
  printList(io, await api.listApprovals(query), options, {
    none: status === "pending" ? "no approvals are waiting" : "there are no such approvals",
    head: ["APPROVAL", "RUN", "NODE", "STATUS", "ASKED", "EXPIRES", "ABOUT"],
    row: (approval) => [
      approval.id,
      approval.runId ?? "(launch)",
      oneLine(approval.nodeId ?? "–"),
      approval.status,
      formatWhen(approval.requestedAt, now),
      approval.status === "pending" ? formatWhen(approval.expiresAt, now) : "–",
      oneLine(approval.title),
    ],
  });
  return EXIT.fine;
}

const COMMENTS_SHOWN = 100;

/** Prints the question of an approval and everything the answer applies to. */
export async function showApproval(
  io: Io,
  api: Api,
  id: string,
  options: { readonly json?: boolean },
): Promise<number> {
  const approval = await api.getApproval(id);
  if (options.json === true) {
    printJson(io, approval);
    return EXIT.fine;
  }
  const [right, comments] = await Promise.all([
    approval.status === "pending" ? api.approvals.getRight(id) : null,
    api.approvals.listComments(id, { limit: COMMENTS_SHOWN }),
  ]);
  printApproval(io, approval, right, comments.data);
  return EXIT.fine;
}

export interface ResolveOptions extends CallOptions {
  readonly reason?: string;
  /** `field=value`, for the form of a gate. */
  readonly form?: readonly string[];
  readonly override?: boolean;
  /** Do not ask for confirmation at a terminal. */
  readonly yes?: boolean;
  readonly json?: boolean;
  readonly quiet?: boolean;
}

/** Answers an approval as it is shown now. The digests make the server refuse the answer if the approval has changed since. */
export async function resolveApproval(
  io: Io,
  api: Api,
  id: string,
  wanted: Decision,
  options: ResolveOptions,
): Promise<number> {
  const approval = await api.getApproval(id);
  const { choices, status } = approval;
  // Approving an escalation means to try the node again.
  const isRetry = wanted === "approve" && !choices.includes("approve") && choices.includes("retry");
  const decision = isRetry ? "retry" : wanted;
  if (status === "pending" && !choices.includes(decision)) {
    throw new Refusal(`${printable(id)} cannot be answered with ${decision}; the choices are ${choices.join(", ")}`);
  }
  const form = readForm(approval, options.form ?? []);
  const modifications = status === "pending" ? callChanges(approval, decision, options) : null;
  if (status === "pending" && isAtTerminal(io) && options.yes !== true) {
    printApproval(io, approval, null, []);
    printArgsDiff(io, approval, modifications);
    if (!(await isConfirmed(io, `${decision} ${oneLine(approval.title)}?`))) {
      io.err.write("nothing was answered\n");
      return EXIT.cancelled;
    }
  }
  return sendAnswer(io, api, approval, options, {
    decision,
    ...(form === null ? {} : { form }),
    ...(modifications === null ? {} : { modifications }),
  });
}

/** Asks the person at the terminal. Every answer except yes counts as no. */
export async function isConfirmed(io: Io, question: string): Promise<boolean> {
  const line = await io.readLine(`\n${question} [y/N]: `, new AbortController().signal);
  return /^y(?:es)?$/i.test(line?.trim() ?? "");
}

export interface GivenAnswer {
  readonly decision: Decision;
  readonly form?: JsonObject;
  readonly modifications?: JsonObject;
}

export async function sendAnswer(
  io: Io,
  api: Api,
  { id, digest, subjectDigest }: Approval,
  { reason, override, json, quiet }: ResolveOptions,
  given: GivenAnswer,
): Promise<number> {
  const resolved = await api.resolveApproval(id, {
    ...given,
    // Modified content is rendered again and gets another digest, so the digest shown is not sent.
    ...(given.modifications === undefined ? { digest } : {}),
    ...(subjectDigest === null ? {} : { subjectDigest }),
    ...(reason === undefined ? {} : { reason }),
    ...(override === true ? { override: true } : {}),
  });
  const missing = resolved.status === "pending" ? resolved.quorum - resolved.answers.length : 0;
  const more = missing > 0 ? `; ${missing} more ${missing === 1 ? "person has" : "people have"} to approve` : "";
  if (json === true) printJson(io, resolved);
  else if (quiet !== true) io.err.write(`${printable(id)} answered with ${given.decision}${more}\n`);
  return EXIT.fine;
}

/**
 * Reads `field=value` entries by the type of each field. Null when the approval has no form. Values that do not fit are
 * left for the server to report.
 */
function readForm({ id, form }: Approval, written: readonly string[]): JsonObject | null {
  if (form === null) {
    if (written.length > 0) throw new Refusal(`${printable(id)} has no form; leave --form out`);
    return null;
  }
  return Object.fromEntries(
    written.map((text) => {
      const [name, value] = readPair("--form", text);
      const type = Object.hasOwn(form, name) ? form[name]?.type : undefined;
      return [name, fieldValue(type, value, form[name]?.enum ?? [])];
    }),
  );
}

export function readPair(flag: string, text: string): readonly [string, string] {
  const equals = text.indexOf("=");
  if (equals < 1) throw new Refusal(`${flag} ${printable(text)}: write it as name=value`);
  return [text.slice(0, equals), text.slice(equals + 1)];
}

/** Converts text to the type of its form field. Text that does not fit the type stays text. */
export function fieldValue(type: string | undefined, text: string, choices: readonly (string | number)[]): Json {
  if (type === "number" || type === "integer") {
    return text.trim() !== "" && Number.isFinite(Number(text)) ? Number(text) : text;
  }
  if (type === "boolean") return text === "true" ? true : text === "false" ? false : text;
  return choices.find((choice) => String(choice) === text) ?? text;
}
