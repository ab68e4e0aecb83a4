import type { RunEvent } from "../core/event/index.ts";
import { hideCredentials } from "../core/redaction/index.ts";
import { isoFromEpochMs } from "../core/view/index.ts";
import type { RunRecord, Store } from "../store/index.ts";
import { auditReasons } from "./audit-reasons.ts";
import { frameOf } from "./frame-text.ts";
import type { Services } from "./route.ts";
import { approvalOnWire, erasureOnWire, runOnWire } from "./wire.ts";

export const PACKET_FORMAT = "sluice-packet/1";

const EVENTS_PAGE = 500;
const RECORDS_PAGE = 100;

type Sources = Pick<Store, "readEvents" | "getApproval" | "listAudit" | "auditTexts" | "verdictsOf" | "getErasure">;

/**
 * Yields all data of a run as one JSON object, piece by piece, so that a long run is never in memory as a whole.
 * Approvals and costs follow the log, because they are found in it.
 */
export async function* packetOf(
  { store, config }: { readonly store: Sources; readonly config: Pick<Services["config"], "now"> },
  run: RunRecord,
): AsyncGenerator<string, void> {
  const found = new Found();
  yield `{"format":"${PACKET_FORMAT}","exportedAt":"${isoFromEpochMs(config.now())}","run":${textOf(runOnWire(run))}`;
  const erasure = await store.getErasure(run.orgId, run.runId);
  if (erasure !== undefined) yield `,"erased":${textOf(erasureOnWire(erasure))}`;
  yield* member("records", recordsOf(store, run));
  yield* member("verdicts", each(await store.verdictsOf(run.orgId, run.runId)));
  yield* member("events", eventsOf(store, run, found));
  yield* member("approvals", approvalsOf(store, run, found));
  yield `,"costs":${textOf(found.costs)}}\n`;
}

/** Ids and costs collected while the log is read. */
class Found {
  readonly approvalIds = new Set<string>();
  readonly costs: object[] = [];

  take({ eventId, at, type, payload }: RunEvent): void {
    if (type === "approval.requested") this.approvalIds.add(payload.approvalId);
    if (type === "cost.recorded") this.costs.push({ eventId, at: isoFromEpochMs(at), ...payload });
  }
}

/** A packet leaves the system, so all texts that look like secrets are removed. */
function textOf(item: object): string {
  return JSON.stringify(item, (_, value: unknown) => (typeof value === "string" ? hideCredentials(value) : value));
}

async function* member(name: string, pages: AsyncIterable<readonly object[]>): AsyncGenerator<string, void> {
  yield `,"${name}":[`;
  let isFirst = true;
  for await (const page of pages) {
    if (page.length === 0) continue;
    const text = page.map(textOf).join(",\n");
    yield isFirst ? text : `,\n${text}`;
    isFirst = false;
  }
  yield "]";
}

async function* each(items: readonly object[]): AsyncGenerator<readonly object[]> {
  yield items;
}

async function* recordsOf(store: Sources, { orgId, runId }: RunRecord): AsyncGenerator<readonly object[]> {
  // The list is newest first; a packet is oldest first.
  const records: object[] = [];
  for (let cursor: string | null = null; ;) {
    const page = await store.listAudit(orgId, { run: runId }, { limit: RECORDS_PAGE, cursor });
    records.push(...page.data.map(await auditReasons(store, orgId, page.data)));
    if (page.nextCursor === null) break;
    cursor = page.nextCursor;
  }
  yield records.reverse();
}

async function* eventsOf(store: Sources, run: RunRecord, found: Found): AsyncGenerator<readonly object[]> {
  for (let after = 0; after < run.lastEventId;) {
    const page = await store.readEvents(run.orgId, run.runId, after, EVENTS_PAGE);
    const last = page.at(-1);
    if (last === undefined) return;
    for (const event of page) found.take(event);
    yield page.map((event) => frameOf(event, run));
    after = last.eventId;
  }
}

async function* approvalsOf(store: Sources, run: RunRecord, found: Found): AsyncGenerator<readonly object[]> {
  for (const id of found.approvalIds) {
    const approval = await store.getApproval(run.orgId, id);
    if (approval !== undefined) yield [approvalOnWire(approval)];
  }
}
