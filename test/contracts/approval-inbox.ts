import { auditEntry } from "../../src/core/audit/index.ts";
import type { Subject } from "../../src/core/event/index.ts";
import type { Answerer, ApprovalFilter, ApprovalListing, ApprovalRecord, ApprovalRow } from "../../src/store/index.ts";
import { PLAIN_SUBJECT } from "../conformance/plain.ts";
import { creation } from "./shares.ts";
import type { SubjectOf } from "./store-contract.ts";

export const entry = auditEntry({ at: 1, type: "approval.assigned", actor: "ann", resource: "approval/x", detail: {} });

/** A key that has asked for nothing. */
export const ANSWERER: Answerer = {
  names: [],
  id: "key_9",
  agentId: null,
  isKnown: true,
  ownRequesters: [],
  deputised: [],
};

export function subject(parts: Partial<Subject> = {}): Subject {
  return {
    ...PLAIN_SUBJECT,
    title: "Pay it?",
    workflow: "triage",
    startedBy: "ann",
    trigger: "api",
    args: { to: "ann", amount: 5 },
    request: { provider: "process", model: null, message: "pay ann 5", stdin: null, inputs: { amount: 5 }, tools: [] },
    answers: [{ decision: "approve", effect: "It is paid." }],
    ...parts,
  };
}

/** What the rules of the inbox do with a store. */
export class Inbox {
  readonly #subjectOf: SubjectOf;

  constructor(subjectOf: SubjectOf) {
    this.#subjectOf = subjectOf;
  }

  async open(...approvals: readonly ApprovalRecord[]): Promise<void> {
    const runs = [...new Set(approvals.map(({ runId }) => runId))];
    await this.#subjectOf().store.commit(
      runs.map((runId) => creation(runId, {}, { approvalsOpened: approvals.filter((each) => each.runId === runId) })),
    );
  }

  async found(filter: ApprovalFilter, more: Partial<ApprovalListing> = {}): Promise<readonly ApprovalRow[]> {
    const listing = { filter, order: "newest", withSubject: false, isGrouped: false, ...more } as const;
    return (await this.#subjectOf().store.findApprovals("org_1", listing, { limit: 10, cursor: null })).data;
  }

  async ids(filter: ApprovalFilter, more: Partial<ApprovalListing> = {}): Promise<readonly string[]> {
    return (await this.found(filter, more)).map((row) => row.approval.id);
  }

  /** All pages of a list, each row as the text that is made of it. */
  async pages(listing: ApprovalListing, limit: number, show: (row: ApprovalRow) => string): Promise<string[]> {
    const seen: string[] = [];
    let cursor: string | null = null;
    do {
      const page: Awaited<ReturnType<ReturnType<SubjectOf>["store"]["findApprovals"]>> =
        await this.#subjectOf().store.findApprovals("org_1", listing, { limit, cursor });
      seen.push(page.data.map(show).join(" "));
      cursor = page.nextCursor;
    } while (cursor !== null);
    return seen;
  }
}
