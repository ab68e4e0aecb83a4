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

/** The question, and everything the answer counts for. */
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
  /** Do not ask at a terminal. */
  readonly yes?: boolean;
  readonly json?: boolean;
  readonly quiet?: boolean;
}

/** Answers for what is shown now: the digests make sure that it has not changed in between. */
export async function resolveApproval(
  io: Io,
  api: Api,
  id: string,
  wanted: Decision,
  options: ResolveOptions,
): Promise<number> {
  const approval = await api.getApproval(id);
  const { choices, status } = approval;
  // Who approves an escalation wants it tried again.
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

/** Asks a person who sits there; everything but a yes is a no. */
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
    // What was changed is rendered again, so that its digest is another one.
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
 * `field=value`, each read by the type of its field; null: there is no form. What does not fit is left for the
 * server to report.
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

/** A value as its field has it; what does not fit stays text. */
export function fieldValue(type: string | undefined, text: string, choices: readonly (string | number)[]): Json {
  if (type === "number" || type === "integer") {
    return text.trim() !== "" && Number.isFinite(Number(text)) ? Number(text) : text;
  }
  if (type === "boolean") return text === "true" ? true : text === "false" ? false : text;
  return choices.find((choice) => String(choice) === text) ?? text;
}
