import type { AuditTrail } from "../audit/index.ts";
import { auditEntry } from "../core/audit/index.ts";
import { isTerminal, type RunEvent } from "../core/event/index.ts";
import type { FileValue } from "../core/base/index.ts";
import { epochMsFromIso } from "../core/view/index.ts";
import type { Files } from "../files/index.ts";
import {
  type ApprovalRecord,
  type ArchivedComment,
  type AttemptReport,
  type ErasureRecord,
  type MemoryRecord,
  NO_CHANGES,
  type RunCommit,
  type RunRecord,
  type Store,
  type StoredVerdict,
} from "../store/index.ts";
import { contentOf, spooled } from "./archiver.ts";
import type { PacketHeader, PacketLine } from "./packet-line.ts";
import { packetLines, PacketRefused, verifyPacket } from "./packet-reader.ts";

export interface ImporterOptions {
  readonly store: Pick<Store, "getRun" | "commit" | "putDefinition" | "markImported" | "appendAudit">;
  readonly files: Pick<Files, "put">;
  readonly audit: Pick<AuditTrail, "isSigned">;
  readonly now: () => number;
}

/** Maximum size of a compressed packet. */
export const PACKET_BYTES_MAX = 2_147_483_648;
/** Maximum events per commit, so that a long log is not written as a single value. */
const EVENTS_PER_COMMIT = 2_000;

export interface Imported {
  readonly run: RunRecord;
  readonly runs: number;
}

/** Imports families from packets. Nothing is imported from a packet that is incomplete or not signed. */
export class Importer {
  readonly #options: ImporterOptions;

  constructor(options: ImporterOptions) {
    this.#options = options;
  }

  import(orgId: string, actor: string, content: AsyncIterable<Uint8Array>): Promise<Imported> {
    const { audit } = this.#options;
    return spooled(
      content,
      async (file) => {
        const { header } = await verifyPacket(contentOf(file), (...signed) => audit.isSigned(...signed));
        return this.#take(orgId, actor, header, packetLines(contentOf(file)));
      },
      PACKET_BYTES_MAX,
    );
  }

  async #take(
    orgId: string,
    actor: string,
    header: PacketHeader,
    lines: AsyncGenerator<PacketLine, void>,
  ): Promise<Imported> {
    const { store, now } = this.#options;
    if ((await store.getRun(orgId, header.run)) !== undefined) {
      throw new PacketRefused("run_exists", `The run "${header.run}" is there already.`);
    }
    const runIds: string[] = [];
    const comments: ArchivedComment[] = [];
    // Child runs are written first. If the root exists, the family is complete; an interrupted import can be repeated.
    for await (const run of this.#runs(orgId, lines)) {
      await this.#write(orgId, run);
      runIds.push(run.record.runId);
      comments.push(...run.comments);
    }
    await store.markImported(orgId, runIds, comments, erasuresIn(header, runIds));
    const { run: runId, workflow, archivedAt } = header;
    const detail = { workflow, runs: runIds.length, archivedAt };
    const about = { type: "run.imported", actor, resource: `run/${runId}`, run: runId } as const;
    await store.appendAudit(orgId, [auditEntry({ at: now(), ...about, detail })]);
    const run = await store.getRun(orgId, runId);
    if (run === undefined) throw new PacketRefused("packet_invalid", `The packet does not hold the run "${runId}".`);
    return { run, runs: runIds.length };
  }

  async *#runs(orgId: string, lines: AsyncGenerator<PacketLine, void>): AsyncGenerator<CollectedRun> {
    const { store } = this.#options;
    let run: CollectedRun | null = null;
    for (let next = await lines.next(); next.done !== true; next = await lines.next()) {
      const line = next.value;
      if (line.kind === "definition") {
        await store.putDefinition(orgId, line.hash, { source: line.source, catalog: line.catalog });
      } else if (line.kind === "content") await this.#keepContent(orgId, line, lines);
      else if (line.kind === "run") {
        if (run !== null) yield run;
        run = new CollectedRun(line.run);
      } else run?.take(line);
    }
    if (run !== null) yield run;
  }

  async #keepContent(orgId: string, first: ContentLine, lines: AsyncGenerator<PacketLine, void>): Promise<void> {
    const { name, mime, size } = first.file;
    await this.#options.files.put(orgId, "import", { name, mime, size }, pieces(first, lines));
  }

  /** Writes a run in several commits, and continues a run that an interrupted import has begun. */
  async #write(orgId: string, run: CollectedRun): Promise<void> {
    const { store } = this.#options;
    const { runId } = run.record;
    if (!isTerminal(run.record.status)) {
      throw new PacketRefused("packet_invalid", `The run "${runId}" has not ended.`);
    }
    const begun = await store.getRun(orgId, runId);
    let version = begun?.rowVersion ?? 0;
    const { events } = run;
    for (let from = begun?.lastEventId ?? 0; from < events.length; from += EVENTS_PER_COMMIT) {
      const { conflicts } = await store.commit([run.share(orgId, version, from)]);
      if (conflicts.length > 0) throw new PacketRefused("run_exists", `The run "${runId}" is there already.`);
      version += 1;
    }
  }
}

/** Returns when each run was erased. An erasure of the root run includes the whole family. */
function erasuresIn({ run: rootId, erased = [] }: PacketHeader, runIds: readonly string[]): readonly ErasureRecord[] {
  return runIds.flatMap((runId) => {
    const found = erased.find(({ run }) => run === runId) ?? erased.find(({ run }) => run === rootId);
    if (found === undefined) return [];
    return [{ runId, at: epochMsFromIso(found.at) ?? 0, by: found.by, sha256: found.sha256 }];
  });
}

type ContentLine = Extract<PacketLine, { readonly kind: "content" }>;

/** Yields the content of one file from consecutive lines. */
async function* pieces(first: ContentLine, lines: AsyncGenerator<PacketLine, void>): AsyncGenerator<Uint8Array> {
  for (let line = first; ;) {
    yield Buffer.from(line.base64, "base64");
    if (line.isLast) return;
    const next = await lines.next();
    if (next.done === true || next.value.kind !== "content") return;
    line = next.value;
  }
}

/** The collected lines of one run. */
class CollectedRun {
  readonly record: RunRecord;
  readonly events: RunEvent[] = [];
  readonly verdicts: StoredVerdict[] = [];
  readonly approvals: ApprovalRecord[] = [];
  readonly comments: ArchivedComment[] = [];
  readonly reports: AttemptReport[] = [];
  readonly memories: MemoryRecord[] = [];
  readonly files: FileValue[] = [];

  constructor(record: RunRecord) {
    this.record = record;
  }

  /** Returns the commit for the events from `from` on. The first commit also contains all other rows. */
  share(orgId: string, expectedVersion: number, from: number): RunCommit {
    const { rowVersion: _rowVersion, orgId: _orgId, runId, lastEventId: _lastEventId, ...rest } = this.record;
    const { status, epoch, costMicros, startedAt, endedAt, waitingFor, paused, errorCode, errorMessage, ...create } =
      rest;
    const events = this.events.slice(from, from + EVENTS_PER_COMMIT);
    const why = { waitingFor, paused, errorCode, errorMessage };
    const head = { status, epoch, lastEventId: from + events.length, costMicros, startedAt, endedAt, ...why };
    const share = { ...NO_CHANGES, runId, orgId, workflow: create.workflow, expectedVersion, head, events };
    if (expectedVersion > 0) return share;
    return {
      ...share,
      create: { ...create, idempotency: null },
      approvalsOpened: this.approvals.map((approval) => ({ ...approval, orgId })),
      reports: this.reports,
      memories: this.memories,
      files: this.files,
      verdicts: this.verdicts.map(({ body, ...verdict }) => ({ ...verdict, bodyText: JSON.stringify(body) })),
    };
  }

  take(line: PacketLine): void {
    if (line.kind === "events") append(this.events, line.events);
    else if (line.kind === "verdicts") append(this.verdicts, line.verdicts);
    else if (line.kind === "reports") append(this.reports, line.reports);
    else if (line.kind === "memories") append(this.memories, line.memories);
    else if (line.kind === "files") append(this.files, line.files);
    else if (line.kind === "approval") {
      this.approvals.push(line.approval);
      append(this.comments, line.comments);
    }
  }
}

/** Adds all elements. As the arguments of one call, the verdicts of a large run would not fit on the stack. */
function append<T>(list: T[], more: readonly T[]): void {
  for (const each of more) list.push(each);
}
