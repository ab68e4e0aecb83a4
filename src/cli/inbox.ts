import type { ApprovalStatus, Decision } from "../core/event/index.ts";
import type { Approval } from "../client/index.ts";
import type { Api } from "./api.ts";
import { EXIT } from "./exit-code.ts";
import type { Io } from "./io.ts";
import { formatDuration } from "./figures.ts";
import { formatWhen, type ListOptions, pageOf, printFacts, printJson, printList } from "./listing.ts";
import { Refusal } from "./refusal.ts";
import { oneLine, printable } from "./terminal-text.ts";

export interface ListApprovalsOptions extends ListOptions {
  readonly status: ApprovalStatus | "all";
}

export async function listApprovals(io: Io, api: Api, options: ListApprovalsOptions): Promise<number> {
  const status = options.status === "all" ? {} : { status: options.status };
  const now = io.clock.now();
  printList(io, await api.listApprovals({ ...status, ...pageOf(options) }), options, {
    none: options.status === "pending" ? "no approvals are waiting" : "there are no such approvals",
    head: ["APPROVAL", "RUN", "NODE", "STATUS", "ASKED", "EXPIRES", "ABOUT"],
    row: (approval) => [
      approval.id,
      approval.runId ?? "(launch)",
      oneLine(approval.nodeId ?? "–"),
      approval.status,
      formatWhen(approval.requestedAt, now),
      approval.status === "pending" ? formatWhen(approval.expiresAt, now) : "–",
      oneLine(approval.summary),
    ],
  });
  return EXIT.fine;
}

/** Whom the question goes to, one after the other; null: anyone who may approve. */
function chainOf({ approvers }: Approval): string | null {
  if (approvers.length === 0) return null;
  return approvers
    .map(({ who, withinMs }) => (withinMs === null ? oneLine(who) : `${oneLine(who)} for ${formatDuration(withinMs)}`))
    .join(", then ");
}

/** The question, and the very text the answer will count for. */
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
  const now = io.clock.now();
  printFacts(io, [
    ["approval", approval.id],
    ["about", oneLine(approval.summary)],
    ["run", approval.runId],
    ["node", approval.nodeId === null ? null : oneLine(approval.nodeId)],
    ["asked by", approval.source],
    ["asks", approval.status === "pending" ? chainOf(approval) : null],
    ["status", approval.status],
    ["asked", formatWhen(approval.requestedAt, now)],
    ["expires", approval.status === "pending" ? formatWhen(approval.expiresAt, now) : null],
    ["choices", approval.status === "pending" ? approval.choices.join(", ") : null],
    ["answer", approval.decision],
    ["by", approval.resolvedBy],
    ["reason", approval.reason === null || approval.reason === undefined ? null : oneLine(approval.reason)],
  ]);
  if (approval.rendered !== "") io.out.write(`\n${printable(approval.rendered).replace(/\n?$/, "\n")}`);
  return EXIT.fine;
}

export interface ResolveOptions {
  readonly reason?: string;
  readonly json?: boolean;
  readonly quiet?: boolean;
}

/** Answers for what is shown now: the digest makes sure that it has not changed in between. */
export async function resolveApproval(
  io: Io,
  api: Api,
  id: string,
  wanted: Decision,
  options: ResolveOptions,
): Promise<number> {
  const { digest, choices, status } = await api.getApproval(id);
  // Who approves an escalation wants it tried again.
  const isRetry = wanted === "approve" && !choices.includes("approve") && choices.includes("retry");
  const decision = isRetry ? "retry" : wanted;
  if (status === "pending" && !choices.includes(decision)) {
    throw new Refusal(`${printable(id)} cannot be answered with ${decision}; the choices are ${choices.join(", ")}`);
  }
  const reason = options.reason === undefined ? {} : { reason: options.reason };
  const resolved = await api.resolveApproval(id, { decision, digest, ...reason });
  if (options.json === true) printJson(io, resolved);
  else if (options.quiet !== true) io.err.write(`${printable(id)} answered with ${decision}\n`);
  return EXIT.fine;
}
