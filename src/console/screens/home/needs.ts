import type { Approval, Gateway, PlatformState, Run } from "../../../client/index.ts";
import { budgetState } from "../../parts/budget-state.ts";
import type { IconName } from "../../parts/icon.tsx";
import { shortId } from "../../parts/short-id.ts";
import type { Tone } from "../../parts/status.tsx";
import { valueLine } from "../../parts/value-line.ts";
import type { Envelope } from "./envelopes.ts";

/** An item that continues only when a person acts. */
export interface Need {
  readonly key: string;
  readonly icon: IconName;
  readonly tone: Tone;
  readonly title: string;
  readonly detail: string;
  readonly to: string;
  /** When the need began, or its deadline. */
  readonly at: string | null;
  readonly isDeadline: boolean;
  /** Number of similar items in this line. */
  readonly count: number;
}

export interface NeedSources {
  readonly platform: PlatformState | undefined;
  readonly approvals: readonly Approval[];
  readonly envelopes: readonly Envelope[];
  readonly gateways: readonly Gateway[];
  readonly failed: readonly Run[];
}

/** Returns the items that need a person: first anything that stops all runs, then approvals by expiry, then failures. */
export function needsOf({ platform, approvals, envelopes, gateways, failed }: NeedSources): readonly Need[] {
  return [
    ...(platform === undefined || platform.open ? [] : [closed(platform)]),
    ...groupedApprovals(approvals),
    ...envelopes.filter(({ share }) => budgetState(share) === "exhausted").map(exhausted),
    ...gateways.filter(({ status }) => status !== "healthy" && status !== "unknown").map(away),
    ...groupedFailures(failed),
  ];
}

function closed({ reason }: PlatformState): Need {
  return {
    key: "platform",
    icon: "stop",
    tone: "bad",
    title: "The platform is closed: nothing is dispatched",
    detail: reason ?? "No reason was given.",
    to: "/governance",
    at: null,
    isDeadline: false,
    count: 1,
  };
}

/** Combines runs of a workflow that failed in the same way into one line, with the time of the newest. */
function groupedFailures(failed: readonly Run[]): readonly Need[] {
  const alike = gathered(failed, ({ workflow, status, error }) => JSON.stringify([workflow, status, error?.code]));
  return alike.flatMap(([first, ...others]) => {
    if (first === undefined) return [];
    const need = wentWrong(first);
    if (others.length === 0) return [need];
    const count = others.length + 1;
    const to = `/runs?workflow=${encodeURIComponent(first.workflow)}&status=${first.status}`;
    return [{ ...need, title: `${count} × ${need.title}`, detail: first.error?.message ?? need.detail, to, count }];
  });
}

/** Combines similar approvals into one line, with the earliest expiry. */
function groupedApprovals(approvals: readonly Approval[]): readonly Need[] {
  const inOrder = approvals.toSorted((left, right) => (left.expiresAt < right.expiresAt ? -1 : 1));
  const alike = gathered(inOrder, ({ workflow, nodeId, title }) => JSON.stringify([workflow, nodeId, title]));
  return alike.flatMap(([first, ...others]) => {
    if (first === undefined) return [];
    const need = asked(first);
    return others.length === 0
      ? [need]
      : [{ ...need, title: `${others.length + 1} × ${need.title}`, to: "/approvals", count: others.length + 1 }];
  });
}

/** Groups items by key, in the order of the first item of each group. */
function gathered<T>(all: readonly T[], keyOf: (each: T) => string): readonly (readonly T[])[] {
  const groups = new Map<string, T[]>();
  for (const each of all) {
    const key = keyOf(each);
    const known = groups.get(key);
    if (known === undefined) groups.set(key, [each]);
    else known.push(each);
  }
  return [...groups.values()];
}

function asked({ id, title, workflow, nodeId, expiresAt }: Approval): Need {
  return {
    key: id,
    icon: "approval",
    tone: "hold",
    title,
    detail:
      nodeId === null ? `A launch of ${workflow ?? "a workflow"} waits` : `${workflow ?? "Node"} / ${nodeId} waits`,
    to: `/approvals?id=${encodeURIComponent(id)}`,
    at: expiresAt,
    isDeadline: true,
    count: 1,
  };
}

function exhausted({ id, label }: Envelope): Need {
  return {
    key: `budget ${id}`,
    icon: "budget",
    tone: "bad",
    title: `Envelope ${id} is exhausted`,
    detail: label,
    to: `/governance/budgets/${encodeURIComponent(id)}`,
    at: null,
    isDeadline: false,
    count: 1,
  };
}

function away({ id, status, seenAt }: Gateway): Need {
  return {
    key: `gateway ${id}`,
    icon: "gateway",
    tone: status === "offline" ? "bad" : "warn",
    title: `Gateway ${id} is ${status}`,
    detail: "Nodes that need it wait until it is back",
    to: `/governance/gateways/${encodeURIComponent(id)}`,
    at: seenAt,
    isDeadline: false,
    count: 1,
  };
}

function wentWrong({ id, workflow, status, completedAt, args, error }: Run): Need {
  return {
    key: id,
    icon: "cross",
    tone: "bad",
    title: `${workflow} ${status === "timed_out" ? "timed out" : "failed"}`,
    detail: [error?.message, valueLine(args) || shortId(id)].filter((part) => part !== undefined).join(" · "),
    to: `/runs/${id}`,
    at: completedAt ?? null,
    isDeadline: false,
    count: 1,
  };
}
