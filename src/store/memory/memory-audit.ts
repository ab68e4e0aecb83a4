import { compareCodeUnits } from "../../core/base/index.ts";
import { type AuditEntry, GENESIS_HASH, type AuditHead, type AuditRecord } from "../../core/audit/index.ts";
import { newSalt } from "../audit-salt.ts";
import { appendedAuditId, committedAuditId } from "../audit-id.ts";
import type {
  AuditStore,
  AuditText,
  ClosedSegment,
  ComputeSeal,
  PruneAsked,
  Sealed,
  SealedRecord,
  SegmentRead,
} from "../audit-store.ts";
import { decodeCursor, listed } from "../cursor.ts";
import type { RunCommit } from "../store.ts";
import { copy, keyOf, type MemoryWorld } from "./memory-world.ts";

/** Audit data of a memory store. */
export interface MemoryAudit {
  /** Entries by id. Entries of commits are added here together with the rest of the commit. */
  readonly pending: Map<string, { readonly orgId: string; readonly at: number; readonly body: string }>;
  readonly chains: Map<string, MemoryChain>;
  /** By organisation and subject. */
  readonly salts: Map<string, string>;
  /** By organisation and number. */
  readonly texts: Map<string, AuditText>;
  /** The last sealing that was started. */
  sealing: Promise<unknown>;
}

interface MemoryChain {
  head: AuditHead;
  /** By number. */
  readonly records: Map<number, SealedRecord>;
  /** In order. */
  segments: readonly (ClosedSegment & { readonly asked: string })[];
}

export function createMemoryAudit(): MemoryAudit {
  return { pending: new Map(), chains: new Map(), salts: new Map(), texts: new Map(), sealing: Promise.resolve() };
}

const newChain = (): MemoryChain => ({
  head: { seq: 0, hash: GENESIS_HASH, segment: null },
  records: new Map(),
  segments: [],
});

export function memoryAudit({ audit, now }: MemoryWorld): AuditStore {
  const chainOf = (orgId: string): MemoryChain => audit.chains.get(orgId) ?? newChain();
  return {
    appendAudit: async (orgId, entries) => {
      if (entries.length === 0) return;
      audit.pending.set(appendedAuditId(), {
        orgId,
        at: now(),
        body: JSON.stringify(entries),
      });
    },
    listPendingOrganisations: async (openedBefore, limit) => {
      const open = [...audit.chains].filter(([, { head }]) => (head.segment?.openedAt ?? Infinity) < openedBefore);
      const orgs = new Set([...[...audit.pending.values()].map(({ orgId }) => orgId), ...open.map(([orgId]) => orgId)]);
      return [...orgs].sort(compareCodeUnits).slice(0, limit);
    },
    // Sealings run one after the other, as the lock of a database would enforce.
    seal: (orgId, limit, compute) => {
      const sealed = audit.sealing.then(() => seal(audit, chainOf(orgId), orgId, limit, compute));
      audit.sealing = sealed.catch(() => undefined);
      return sealed;
    },
    auditHead: async (orgId) => copy(chainOf(orgId).head),
    listAudit: async (orgId, { type, category, run }, page) => {
      const before = decodeCursor(page.cursor)?.at ?? Infinity;
      const records = [...chainOf(orgId).records.values()]
        .filter((record) => record.seq < before)
        .filter((record) => type === undefined || record.type === type)
        .filter((record) => category === undefined || record.category === category)
        .filter((record) => run === undefined || record.run === run)
        .sort((left, right) => right.seq - left.seq)
        .map(({ line }) => JSON.parse(line) as AuditRecord);
      return listed(records, page.limit, ({ seq }) => ({ at: seq, id: "" }));
    },
    auditTexts: async (orgId, seqs) =>
      new Map(
        seqs.flatMap((seq) => {
          const found = audit.texts.get(keyOf(orgId, seq));
          return found === undefined ? [] : [[seq, found.text] as const];
        }),
      ),
    readSegment: async (orgId, afterSeq, toSeq) => readSegment(chainOf(orgId), afterSeq, toSeq),
    listAudited: async (afterOrgId, limit) =>
      [...audit.chains.keys()]
        .filter((orgId) => compareCodeUnits(orgId, afterOrgId) > 0)
        .sort(compareCodeUnits)
        .slice(0, limit),
    packAudit: async () => false,
    pruneSegment: async (orgId, asked, compute) => {
      const chain = chainOf(orgId);
      const found = nextToPrune(chain, asked);
      const read = found === undefined ? null : readSegment(chain, found.fromSeq - 1, found.toSeq);
      if (found === undefined || read === null) return false;
      const previous = chain.segments.find(
        ({ toSeq, checkpoint }) => toSeq === found.fromSeq - 1 && checkpoint === null,
      );
      const { segment, gone } = compute(read, previous ?? null);
      for (const seq of gone) {
        chain.records.delete(seq);
        audit.texts.delete(keyOf(orgId, seq));
      }
      const isMerged = previous !== undefined && segment.fromSeq === previous.fromSeq;
      chain.segments = chain.segments
        .filter((one) => !isMerged || one !== previous)
        .map((one) => (one === found ? { ...copy(segment), asked: asked.categories.join(" ") } : one));
      return true;
    },
  };
}

/** Writes the audit entries of a run's commit, together with the rest of the commit. */
export function writeCommittedAudit(
  { audit }: MemoryWorld,
  { runId, orgId, expectedVersion, audit: entries }: RunCommit,
): void {
  const [first] = entries;
  if (first === undefined) return;
  const id = committedAuditId(runId, expectedVersion);
  audit.pending.set(id, { orgId, at: first.at, body: JSON.stringify(entries) });
}

function nextToPrune({ segments }: MemoryChain, { from, before, categories }: PruneAsked) {
  const words = categories.join(" ");
  return segments
    .filter(({ at, asked, checkpoint }) => at >= from && at < before && asked !== words && checkpoint !== null)
    .sort((left, right) => left.at - right.at || left.toSeq - right.toSeq)[0];
}

function readSegment({ records, segments }: MemoryChain, afterSeq: number, toSeq: number): SegmentRead | null {
  const next = segments.find((segment) => segment.toSeq > afterSeq);
  const found = next !== undefined && next.toSeq <= toSeq ? next : null;
  const last = found?.toSeq ?? toSeq;
  const within = [...records.values()]
    .filter(({ seq }) => seq > afterSeq && seq <= last)
    .sort((left, right) => left.seq - right.seq);
  const lines = within.map(({ line }) => line);
  const columns = within.map(({ seq, at, category, type, run }) => ({ seq, at, category, type, run }));
  if (found === null) return lines.length === 0 ? null : { toSeq, closed: null, lines, columns };
  const { asked: _, ...closed } = found;
  return { toSeq: last, closed: copy(closed), lines, columns };
}

async function seal(
  audit: MemoryAudit,
  chain: MemoryChain,
  orgId: string,
  limit: number,
  compute: ComputeSeal,
): Promise<Sealed> {
  const waiting = [...audit.pending]
    .filter(([, entry]) => entry.orgId === orgId)
    .sort(([leftId, left], [rightId, right]) => left.at - right.at || compareCodeUnits(leftId, rightId))
    .slice(0, limit)
    .map(([id, { body }]) => ({ id, entries: [JSON.parse(body) as AuditEntry | AuditEntry[]].flat() }));
  const sealed = await compute(copy(chain.head), waiting, async (subjects) => {
    for (const subject of subjects) {
      const key = keyOf(orgId, subject);
      if (!audit.salts.has(key)) audit.salts.set(key, newSalt());
    }
    return new Map(subjects.map((subject) => [subject, audit.salts.get(keyOf(orgId, subject)) ?? ""]));
  });
  for (const text of sealed.texts ?? []) audit.texts.set(keyOf(orgId, text.seq), copy(text));
  for (const { id } of waiting) audit.pending.delete(id);
  for (const record of sealed.records) chain.records.set(record.seq, copy(record));
  chain.segments = [...chain.segments, ...sealed.segments.map((segment) => ({ ...copy(segment), asked: "" }))];
  chain.head = copy(sealed.head);
  audit.chains.set(orgId, chain);
  return sealed;
}
