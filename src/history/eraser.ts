import { createHash } from "node:crypto";
import type { AuditTrail } from "../audit/index.ts";
import { auditEntry, type AuditType, freeTextOf } from "../core/audit/index.ts";
import { isoFromEpochMs } from "../core/view/index.ts";
import type { Files } from "../files/index.ts";
import type { ArchiveRecord, ErasedTraces, Erasing, Listed, Store } from "../store/index.ts";
import { type ArchivedFamily, factsOf, launchKey, launchOf, readArchivedFamily } from "./archived-family.ts";
import type { Archiver } from "./archiver.ts";
import { type IsAbout, readSubject } from "./erasure-subject.ts";
import { erasedPacket } from "./erased-packet.ts";
import type { PacketLine } from "./packet-line.ts";
import { packetLines, verifyPacket } from "./packet-reader.ts";
import { erasedApproval, erasedArgs, erasedBlock, withoutMentions } from "./tombstone.ts";

export interface EraserOptions {
  readonly store: Store;
  readonly files: Pick<Files, "sweep">;
  readonly audit: Pick<AuditTrail, "catchUp" | "isSigned">;
  readonly archiver: Archiver;
  /** Makes this process forget the memories of agents that are no longer stored. */
  readonly forgetMemories: () => Promise<void>;
  readonly now: () => number;
}

export interface ErasureRequest {
  /** A condition over `args`, `labels` and `run`. */
  readonly subject: string;
  /** Report what would be erased, without erasing it. */
  readonly isDryRun: boolean;
  /** Name of the requester for the audit. */
  readonly by: string;
}

export interface ErasureReport {
  /** Erased runs, or runs that would be erased. */
  readonly runs: readonly string[];
  /** Runs that had been erased before. */
  readonly already: readonly string[];
  /** Not erased: runs that have not ended, and launch approvals that wait for an answer. */
  readonly open: readonly string[];
  /** Not erased: runs for which the expression could not be evaluated. */
  readonly undecided: readonly string[];
  /** Runs whose archives were rewritten without content, or would be. */
  readonly archives: readonly string[];
  /** Erased approvals of launches. */
  readonly launches: readonly string[];
  /** Sealed audit records with text written by a person, which cannot be changed. */
  readonly sealed: readonly SealedText[];
}

export interface SealedText {
  readonly seq: number;
  readonly type: AuditType;
  readonly run: string;
}

const PAGE = 100;
const SWEEP_MAX = 100_000;

/** Erases the content of runs about a subject everywhere, and leaves tombstones. */
export class Eraser {
  readonly #options: EraserOptions;

  constructor(options: EraserOptions) {
    this.#options = options;
  }

  async erase(orgId: string, request: ErasureRequest): Promise<ErasureReport> {
    const { store, files, audit } = this.#options;
    const isAbout = readSubject(request.subject);
    // Audit entries that are not sealed yet contain texts that the search would miss.
    await audit.catchUp(orgId);
    const { found, families, launched, undecided } = await this.#find(orgId, isAbout);
    const { related, archived } = await this.#connect(orgId, found, families);
    const outcomes = { erased: [] as string[], already: [] as string[], open: [] as string[], unknown: [] as string[] };
    for (const runId of related) outcomes[await this.#eraseRun(orgId, runId, request)].push(runId);
    const archives: string[] = [];
    for (const { archive, isErased } of archived) {
      if (isErased) continue;
      if (!request.isDryRun) await this.#rewrite(archive, request.by);
      archives.push(archive.runId);
    }
    const { launches, pending } = await this.#eraseLaunches(orgId, { isAbout, launched }, request);
    const archivedRuns = archived.flatMap(({ runIds }) => runIds);
    // A run that was erased before is included: a server that still had its memories may have used one since.
    const gone = new Set([...outcomes.erased, ...outcomes.already, ...archivedRuns]);
    if (!request.isDryRun) {
      await this.#options.forgetMemories();
      await store.eraseMentions(orgId, [...gone], (body) => withoutMentions(body, gone));
    }
    const sealed = await this.#sealedTexts(orgId, [...new Set([...related, ...archivedRuns])]);
    if (!request.isDryRun) await files.sweep(SWEEP_MAX);
    const { erased: runs, already } = outcomes;
    return { runs, already, open: [...outcomes.open, ...pending], undecided, archives, launches, sealed };
  }

  /** Finds the runs that match the condition, and reads all archives. */
  async #find(orgId: string, isAbout: IsAbout) {
    const { store, archiver } = this.#options;
    const found: string[] = [];
    const launched = new Set<string>();
    const undecided: string[] = [];
    for await (const run of pages((cursor) => store.listRuns(orgId, {}, { limit: PAGE, cursor }))) {
      const verdict = isAbout(factsOf(run));
      if (verdict === true) found.push(run.runId);
      // The tombstones of an erased run decide nothing.
      else if (verdict === null && (await store.getErasure(orgId, run.runId)) === undefined) undecided.push(run.runId);
      if (verdict === true) launched.add(launchOf(run));
    }
    const families: ArchivedFamily[] = [];
    for (let after: string | undefined = ""; after !== undefined;) {
      const page: readonly ArchiveRecord[] = await store.listArchives(orgId, after, PAGE);
      for (const archive of page) {
        // One archive that cannot be read must not prevent the erasure of everything else.
        const family = await readArchivedFamily(archiver, archive, isAbout).catch(() => null);
        if (family === null || family.isAbout === null) undecided.push(archive.runId);
        if (family === null) continue;
        families.push(family);
        if (family.isAbout === true) found.push(...family.runIds);
        for (const launch of family.launches) launched.add(launch);
      }
      after = page.at(-1)?.runId;
    }
    return { found, families, launched, undecided: [...new Set(undecided)] };
  }

  /** Adds the runs and archives connected with the found runs. A chain of restarts may lead through deleted runs. */
  async #connect(orgId: string, found: readonly string[], families: readonly ArchivedFamily[]) {
    const ids = new Set(found);
    for (;;) {
      const related = await this.#options.store.relatedRuns(orgId, [...ids]);
      for (const runId of related) ids.add(runId);
      const archived = families.filter(({ runIds, sources }) => [...runIds, ...sources].some((id) => ids.has(id)));
      const before = ids.size;
      for (const { runIds } of archived) for (const runId of runIds) ids.add(runId);
      if (ids.size === before) return { related, archived };
    }
  }

  async #eraseRun(orgId: string, runId: string, { isDryRun, by }: ErasureRequest) {
    const { store, now } = this.#options;
    if (isDryRun) {
      const family = await store.familyOf(orgId, runId);
      if (family[0]?.isOpen === true) return "open";
      return (await store.getErasure(orgId, runId)) === undefined ? "erased" : "already";
    }
    const hash = createHash("sha256");
    let sha256 = "";
    const at = now();
    const about = { type: "run.erased", actor: by, resource: `run/${runId}`, run: runId } as const;
    const erasing: Erasing = {
      at,
      by,
      args: erasedArgs,
      approval: erasedApproval,
      block: (body) => {
        hash.update(body);
        return erasedBlock(body);
      },
      sha256: () => (sha256 = `sha256:${hash.digest("hex")}`),
      note: () => auditEntry({ at, ...about, detail: { sha256 } }),
    };
    return store.eraseRun(orgId, runId, erasing);
  }

  /** Rewrites an archive without content. */
  async #rewrite(archive: ArchiveRecord, by: string): Promise<void> {
    const { archiver, audit, store, now } = this.#options;
    const { size: _size, sha256, ...about } = archive;
    const { orgId, runId } = archive;
    const { header } = await verifyPacket(archiver.read(archive), (...signed) => audit.isSigned(...signed));
    const traces = await tracesIn(packetLines(archiver.read(archive)));
    const at = now();
    const erasure = { at: isoFromEpochMs(at), by, run: archive.runId, sha256: `sha256:${sha256}` };
    await archiver.write(about, erasedPacket(header, packetLines(archiver.read(archive)), erasure));
    await store.eraseTraces(orgId, traces);
    const detail = { sha256: `sha256:${sha256}`, archive: archive.place };
    const entry = { at, type: "run.erased", actor: by, resource: `run/${runId}`, run: runId, detail } as const;
    await store.appendAudit(orgId, [auditEntry(entry)]);
  }

  /** Erases launch approvals that match the condition or that started one of the runs. Pending approvals are left unchanged. */
  async #eraseLaunches(
    orgId: string,
    { isAbout, launched }: { readonly isAbout: IsAbout; readonly launched: ReadonlySet<string> },
    { isDryRun }: ErasureRequest,
  ): Promise<{ readonly launches: readonly string[]; readonly pending: readonly string[] }> {
    const { store } = this.#options;
    const launches: string[] = [];
    const pending: string[] = [];
    for (let after = ""; ;) {
      const page = await store.listLaunches(orgId, after, PAGE);
      for (const { id, subject, workflow, status } of page) {
        if (subject === null) continue;
        const { args, trigger, startedBy } = subject;
        const run = { id: "", workflow: workflow ?? "", trigger, startedBy };
        const isOfRun = launched.has(launchKey(run.workflow, args));
        if (!isOfRun && isAbout({ args, labels: {}, run }) !== true) continue;
        if (status === "pending") {
          pending.push(id);
          continue;
        }
        launches.push(id);
        if (!isDryRun) await store.eraseLaunch(orgId, id, erasedApproval);
      }
      const last = page.at(-1);
      if (last === undefined) return { launches, pending };
      after = last.id;
    }
  }

  async #sealedTexts(orgId: string, runIds: readonly string[]): Promise<readonly SealedText[]> {
    const { store } = this.#options;
    const sealed: SealedText[] = [];
    for (const run of runIds) {
      for await (const record of pages((cursor) => store.listAudit(orgId, { run }, { limit: PAGE, cursor }))) {
        if (freeTextOf(record) !== null) sealed.push({ seq: record.seq, type: record.type, run });
      }
    }
    return sealed;
  }
}

async function* pages<T>(read: (cursor: string | null) => Promise<Listed<T>>): AsyncGenerator<T, void> {
  for (let cursor: string | null = null; ;) {
    const page: Listed<T> = await read(cursor);
    yield* page.data;
    if (page.nextCursor === null) return;
    cursor = page.nextCursor;
  }
}

/** Collects the ids under which other rows may still contain data of the runs in a packet. */
async function tracesIn(lines: AsyncIterable<PacketLine>): Promise<ErasedTraces> {
  const runIds: string[] = [];
  const eventIds: string[] = [];
  const fileHashes: string[] = [];
  for await (const line of lines) {
    if (line.kind === "run") runIds.push(line.run.runId);
    if (line.kind === "files") for (const { sha256 } of line.files) fileHashes.push(sha256);
    if (line.kind !== "events") continue;
    for (const { type, payload } of line.events) {
      if (type === "event.received" || type === "event.emitted") eventIds.push(payload.id);
    }
  }
  return { runIds, eventIds, fileHashes };
}
