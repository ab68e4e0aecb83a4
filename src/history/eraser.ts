import { createHash } from "node:crypto";
import type { AuditTrail } from "../audit/index.ts";
import { auditEntry, type AuditType, freeTextOf } from "../core/audit/index.ts";
import { digestJson, type JsonObject } from "../core/base/index.ts";
import { shownMembers } from "../core/engine/index.ts";
import { isoFromEpochMs } from "../core/view/index.ts";
import type { Files } from "../files/index.ts";
import type { ArchiveRecord, ErasedTraces, Erasing, RunRecord, Store } from "../store/index.ts";
import type { Archiver } from "./archiver.ts";
import { type IsAbout, readSubject, type SubjectFacts } from "./erasure-subject.ts";
import { erasedPacket } from "./erased-packet.ts";
import type { PacketLine } from "./packet-line.ts";
import { packetLines, verifyPacket } from "./packet-reader.ts";
import { erasedApproval, erasedArgs, erasedBlock, withoutMentions } from "./tombstone.ts";

export interface EraserOptions {
  readonly store: Store;
  readonly files: Pick<Files, "sweep">;
  readonly audit: Pick<AuditTrail, "catchUp" | "isSigned">;
  readonly archiver: Archiver;
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
    const { found, launched, undecided } = await this.#find(orgId, isAbout);
    const related = await store.relatedRuns(orgId, found);
    const outcomes = { erased: [] as string[], already: [] as string[], open: [] as string[], unknown: [] as string[] };
    for (const runId of related) outcomes[await this.#eraseRun(orgId, runId, request)].push(runId);
    const { archives, runIds } = await this.#eraseArchives(orgId, isAbout, new Set(found), request);
    const { launches, pending } = await this.#eraseLaunches(orgId, { isAbout, launched }, request);
    const gone = new Set([...outcomes.erased, ...runIds]);
    if (!request.isDryRun) await store.eraseMentions(orgId, [...gone], (body) => withoutMentions(body, gone));
    const sealed = await this.#sealedTexts(orgId, [...new Set([...related, ...archives])]);
    if (!request.isDryRun) await files.sweep(SWEEP_MAX);
    const { erased: runs, already } = outcomes;
    return { runs, already, open: [...outcomes.open, ...pending], undecided, archives, launches, sealed };
  }

  async #find(orgId: string, isAbout: IsAbout) {
    const found: string[] = [];
    const launched = new Set<string>();
    const undecided: string[] = [];
    for (let cursor: string | null = null; ;) {
      const page = await this.#options.store.listRuns(orgId, {}, { limit: PAGE, cursor });
      for (const run of page.data) {
        const verdict = isAbout(factsOf(run));
        if (verdict !== false) (verdict === true ? found : undecided).push(run.runId);
        if (verdict === true) launched.add(launchKey(run.workflow, shownMembers(run.args, "args")));
      }
      if (page.nextCursor === null) return { found, launched, undecided };
      cursor = page.nextCursor;
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

  /** Erases archived runs, which are deleted here but can be imported again. */
  async #eraseArchives(
    orgId: string,
    isAbout: IsAbout,
    found: ReadonlySet<string>,
    { isDryRun, by }: ErasureRequest,
  ): Promise<{ readonly archives: readonly string[]; readonly runIds: readonly string[] }> {
    const { store } = this.#options;
    const archives: string[] = [];
    const runIds: string[] = [];
    for (let after = ""; ;) {
      const page = await store.listArchives(orgId, after, PAGE);
      for (const archive of page) {
        if (!found.has(archive.runId) && !(await this.#isArchiveAbout(archive, isAbout))) continue;
        archives.push(archive.runId);
        if (!isDryRun) runIds.push(...(await this.#rewrite(archive, by)));
      }
      const last = page.at(-1);
      if (last === undefined) return { archives, runIds };
      after = last.runId;
    }
  }

  async #isArchiveAbout(archive: ArchiveRecord, isAbout: IsAbout): Promise<boolean> {
    for await (const line of packetLines(this.#options.archiver.read(archive))) {
      if (line.kind === "run" && isAbout(factsOf(line.run)) === true) return true;
    }
    return false;
  }

  /** Rewrites an archive without content. Returns the ids of its runs. */
  async #rewrite(archive: ArchiveRecord, by: string): Promise<readonly string[]> {
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
    return traces.runIds;
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
    const sealed: SealedText[] = [];
    for (const run of runIds) {
      for (let cursor: string | null = null; ;) {
        const page = await this.#options.store.listAudit(orgId, { run }, { limit: PAGE, cursor });
        for (const record of page.data) {
          if (freeTextOf(record) !== null) sealed.push({ seq: record.seq, type: record.type, run });
        }
        if (page.nextCursor === null) break;
        cursor = page.nextCursor;
      }
    }
    return sealed;
  }
}

/** A run does not store the launch approval that started it, so approvals are matched to runs by workflow and args. */
function launchKey(workflow: string, shownArgs: JsonObject): string {
  return `${workflow} ${digestJson(shownArgs)}`;
}

function factsOf({ runId, workflow, trigger, startedBy, args, labels }: RunRecord): SubjectFacts {
  return { args, labels, run: { id: runId, workflow, trigger, startedBy } };
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
