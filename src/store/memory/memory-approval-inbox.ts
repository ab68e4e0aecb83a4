import type { AuditEntry } from "../../core/audit/index.ts";
import { compareCodeUnits } from "../../core/base/index.ts";
import {
  type Answerer,
  type ApprovalFilter,
  type ApprovalInboxStore,
  type ApprovalListing,
  type ApprovalOrder,
  type ApprovalRow,
  listingOf,
} from "../approval-inbox-store.ts";
import type { ApprovalRecord } from "../approval-record.ts";
import { type ApprovalIndex, askedName, holds, indexOf, searchable } from "../approval-index.ts";
import { appendedAuditId } from "../audit-id.ts";
import { decodeCursor, listed, type Position } from "../cursor.ts";
import type { Listed, Page } from "../store.ts";
import { copy, keyOf, type MemoryWorld } from "./memory-world.ts";

export function memoryApprovalInbox(world: MemoryWorld): ApprovalInboxStore {
  const { approvals, comments } = world;
  const note = (orgId: string, id: string, entry: AuditEntry): void => {
    world.noted.set(id, { orgId, id, notedAt: world.now() });
    world.audit.pending.set(appendedAuditId(), { orgId, at: entry.at, body: JSON.stringify([entry]) });
  };
  const ofOrganisation = (orgId: string, approvalId: string): ApprovalRecord | undefined => {
    const approval = approvals.get(approvalId);
    return approval?.orgId === orgId ? approval : undefined;
  };
  const find = (orgId: string, listing: ApprovalListing, page: Page): Listed<ApprovalRow> => {
    const { filter, order, withSubject, isGrouped } = listing;
    const after = decodeCursor(page.cursor);
    const compare = COMPARISONS[order];
    const matching = [...approvals.values()]
      .filter((approval) => approval.orgId === orgId && fits(world, approval, filter))
      .sort((left, right) => compare(positionOf(left, order), positionOf(right, order)));
    const sizes = isGrouped ? sizesOf(matching) : null;
    const rows = (sizes === null ? matching : [...sizes.keys()]).filter(
      (approval) => after === null || compare(positionOf(approval, order), after) > 0,
    );
    const { data, nextCursor } = listed(rows, page.limit, (approval) => positionOf(approval, order));
    const shown = data.map((approval) => ({
      approval: copy(withSubject ? approval : { ...approval, subject: null }),
      group: indexed(approval).group,
      groupSize: sizes?.get(approval) ?? null,
    }));
    return { data: shown, nextCursor };
  };
  return {
    listApprovals: async (orgId, status, page) => {
      const { data, nextCursor } = find(orgId, listingOf(status), page);
      return { data: data.map(({ approval }) => approval), nextCursor };
    },
    findApprovals: async (orgId, listing, page) => find(orgId, listing, page),
    listSeparateRequesters: async (orgId) => {
      const waiting = [...approvals.values()].filter(
        (approval) => approval.orgId === orgId && approval.status === "pending" && approval.isSeparate,
      );
      return [...new Set(waiting.map((approval) => requesterOf(world, approval)))].filter((id) => id !== "");
    },
    countApprovals: async (orgId, filter) =>
      [...approvals.values()].filter((approval) => approval.orgId === orgId && fits(world, approval, filter)).length,
    assignApproval: async (orgId, approvalId, assignee, entry) => {
      const approval = ofOrganisation(orgId, approvalId);
      if (approval === undefined) return false;
      approvals.set(approvalId, { ...approval, assignee });
      note(orgId, approvalId, entry);
      return true;
    },
    addComment: async (orgId, approvalId, comment, entry) => {
      if (ofOrganisation(orgId, approvalId) === undefined) return false;
      const key = keyOf(orgId, approvalId);
      comments.set(key, [...(comments.get(key) ?? []), copy(comment)]);
      note(orgId, approvalId, entry);
      return true;
    },
    listComments: async (orgId, approvalId, page) => {
      const after = decodeCursor(page.cursor);
      const rows = (comments.get(keyOf(orgId, approvalId)) ?? [])
        .filter((comment) => after === null || oldestFirst(comment, after) > 0)
        .toSorted(oldestFirst);
      return listed(rows.map(copy), page.limit, ({ at, id }) => ({ at, id }));
    },
  };
}

/** Records are replaced when they change, so that derived data is computed once per record. */
const indexes = new WeakMap<ApprovalRecord, ApprovalIndex>();

function indexed(approval: ApprovalRecord): ApprovalIndex {
  const known = indexes.get(approval) ?? indexOf(approval);
  indexes.set(approval, known);
  return known;
}

/** Returns the first approval of each group, in order, with the size of the group. Answered approvals are not grouped. */
function sizesOf(matching: readonly ApprovalRecord[]): ReadonlyMap<ApprovalRecord, number> {
  const firsts = new Map<string, ApprovalRecord>();
  const sizes = new Map<ApprovalRecord, number>();
  for (const approval of matching) {
    const group = approval.status === "pending" ? (indexed(approval).group ?? approval.id) : approval.id;
    const first = firsts.get(group) ?? approval;
    firsts.set(group, first);
    sizes.set(first, (sizes.get(first) ?? 0) + 1);
  }
  return sizes;
}

function positionOf({ requestedAt, expiresAt, id }: ApprovalRecord, order: ApprovalOrder): Position {
  return { at: order === "expiring" ? expiresAt : requestedAt, id };
}

function oldestFirst(left: Position, right: Position): number {
  return left.at - right.at || compareCodeUnits(left.id, right.id);
}

const COMPARISONS: Readonly<Record<ApprovalOrder, (left: Position, right: Position) => number>> = {
  newest: (left, right) => oldestFirst(right, left),
  oldest: oldestFirst,
  expiring: oldestFirst,
};

function fits(world: MemoryWorld, approval: ApprovalRecord, filter: ApprovalFilter): boolean {
  const { status, workflow, source, runId, agentId, assignee, requestedUntil, text, group, answerer } = filter;
  const index = indexed(approval);
  return (
    (status === undefined || approval.status === status || (status === "closed" && approval.status !== "pending")) &&
    (workflow === undefined || index.workflow === workflow) &&
    (source === undefined || approval.source === source) &&
    (runId === undefined || approval.runId === runId) &&
    (agentId === undefined || approval.agentId === agentId) &&
    (assignee === undefined || isAssigned(approval, assignee)) &&
    (requestedUntil === undefined || approval.requestedAt <= requestedUntil) &&
    (group === undefined || index.group === group) &&
    (text === undefined || index.search.includes(searchable(text))) &&
    (answerer === undefined || mayBeAnswered(world, approval, answerer))
  );
}

function isAssigned({ assignee }: ApprovalRecord, wanted: readonly string[] | null): boolean {
  return wanted === null ? assignee === null : assignee !== null && wanted.includes(assignee);
}

function mayBeAnswered(world: MemoryWorld, approval: ApprovalRecord, answerer: Answerer): boolean {
  const { names, id, agentId, isKnown, ownRequesters, deputised } = answerer;
  const { asks, answered } = indexed(approval);
  if (approval.status !== "pending") return false;
  if (agentId !== null && approval.agentId === agentId) return false;
  if (names !== null && !isAsked(asks, names)) return false;
  if (holds(answered, [id])) return false;
  if (!approval.isSeparate) return true;
  const requester = requesterOf(world, approval);
  if (!isKnown || ownRequesters.includes(requester)) return false;
  return names === null || deputised.every((one) => one.requester !== requester || isAsked(asks, one.names));
}

function isAsked(asks: string, names: readonly string[]): boolean {
  return asks === "" || holds(asks, names.map(askedName));
}

/** Returns the requester of the work an approval is about; empty when not known. */
function requesterOf(world: MemoryWorld, approval: ApprovalRecord): string {
  const run = world.runs.get(approval.runId)?.pinned;
  return indexed(approval).requester ?? run?.requestedBy ?? run?.startedBy ?? "";
}
