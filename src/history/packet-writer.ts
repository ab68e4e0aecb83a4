import { createHash } from "node:crypto";
import { Readable } from "node:stream";
import { createGzip } from "node:zlib";
import type { AuditTrail } from "../audit/index.ts";
import type { AuditRecord } from "../core/audit/index.ts";
import type { FileValue } from "../core/base/index.ts";
import type { RunEvent } from "../core/event/index.ts";
import { isoFromEpochMs } from "../core/view/index.ts";
import type { Files } from "../files/index.ts";
import type { ArchivedComment, LoadedRun, Store } from "../store/index.ts";
import {
  FAMILY_PACKET_FORMAT,
  type PacketErasure,
  type PacketHeader,
  type PacketLine,
  signedText,
} from "./packet-line.ts";

export interface PacketSources {
  readonly store: Pick<
    Store,
    | "loadRuns"
    | "verdictsOf"
    | "getApproval"
    | "listComments"
    | "reportsOfRun"
    | "memoriesOfRun"
    | "listRunFiles"
    | "getFile"
    | "getDefinition"
    | "listAudit"
    | "getErasure"
  >;
  readonly files: Pick<Files, "read">;
  readonly now: () => number;
}

const EVENTS_PER_LINE = 500;
const LINE_LENGTH_MAX = 4_194_304;
const CONTENT_BYTES = 1_048_576;
const PAGE = 100;

/** Appends a signature to the lines and compresses them. Only a few lines are in memory at a time. */
export async function* signedPacket(
  lines: AsyncIterable<object>,
  audit: Pick<AuditTrail, "sign">,
): AsyncGenerator<Uint8Array, void> {
  const zip = createGzip();
  const source = Readable.from(signed(lines, audit));
  // A pipe passes on no errors: the reader would wait for ever, and the error would end the process.
  source.once("error", (error) => zip.destroy(error));
  try {
    for await (const chunk of source.pipe(zip)) yield chunk as Buffer;
  } finally {
    source.destroy();
    zip.destroy();
  }
}

async function* signed(lines: AsyncIterable<object>, audit: Pick<AuditTrail, "sign">): AsyncGenerator<string> {
  const hash = createHash("sha256");
  let count = 0;
  for await (const line of lines) {
    const text = `${JSON.stringify(line)}\n`;
    hash.update(text);
    count += 1;
    yield text;
  }
  const sha256 = hash.digest("hex");
  yield `${JSON.stringify({ kind: "end", lines: count, sha256, ...(await audit.sign(signedText(sha256))) })}\n`;
}

/** Yields all lines of a family. The first of `runIds` is the root run. */
export async function* linesOfFamily(
  sources: PacketSources,
  orgId: string,
  runIds: readonly string[],
): AsyncGenerator<PacketHeader | PacketLine> {
  const [rootId = ""] = runIds;
  const [root] = await sources.store.loadRuns([rootId]);
  if (root === undefined) throw new Error(`run ${rootId} is gone`);
  const { workflow, endedAt } = root.run;
  const erased = await erasuresOf(sources.store, orgId, runIds);
  yield {
    kind: "header",
    format: FAMILY_PACKET_FORMAT,
    org: orgId,
    run: rootId,
    workflow,
    runs: runIds.length,
    endedAt: endedAt === null ? null : isoFromEpochMs(endedAt),
    archivedAt: isoFromEpochMs(sources.now()),
    ...(erased.length === 0 ? {} : { erased }),
  };
  const pinned = new Set<string>();
  const contents = new Set<string>();
  for (const runId of runIds) yield* outsideRun(sources, orgId, runId, { pinned, contents });
  for (const runId of runIds.toReversed()) yield* linesOfRun(sources, orgId, runId);
}

async function erasuresOf(
  store: PacketSources["store"],
  orgId: string,
  runIds: readonly string[],
): Promise<readonly PacketErasure[]> {
  const erased: PacketErasure[] = [];
  for (const run of runIds) {
    const erasure = await store.getErasure(orgId, run);
    if (erasure !== undefined) {
      erased.push({ at: isoFromEpochMs(erasure.at), by: erasure.by, run, sha256: erasure.sha256 });
    }
  }
  return erased;
}

interface Written {
  readonly pinned: Set<string>;
  readonly contents: Set<string>;
}

/** Yields the definitions and files that a run refers to, each once per packet. */
async function* outsideRun(
  { store, files }: PacketSources,
  orgId: string,
  runId: string,
  { pinned, contents }: Written,
): AsyncGenerator<PacketLine> {
  const [loaded] = await store.loadRuns([runId]);
  for (const hash of loaded === undefined ? [] : [loaded.run.definitionHash, loaded.run.pinnedHash]) {
    if (hash === null || pinned.has(hash)) continue;
    pinned.add(hash);
    const definition = await store.getDefinition(orgId, hash);
    if (definition !== undefined) yield { kind: "definition", hash, ...definition };
  }
  for (const file of await store.listRunFiles(orgId, runId)) {
    if (contents.has(file.sha256)) continue;
    contents.add(file.sha256);
    const kept = await store.getFile(orgId, file.sha256);
    if (kept !== undefined) yield* contentLines(file, files.read(kept));
  }
}

async function* contentLines(file: FileValue, content: AsyncIterable<Uint8Array>): AsyncGenerator<PacketLine> {
  let waiting: Uint8Array[] = [];
  let size = 0;
  for await (const piece of content) {
    waiting.push(piece);
    size += piece.byteLength;
    if (size < CONTENT_BYTES) continue;
    yield { kind: "content", file, base64: Buffer.concat(waiting).toString("base64"), isLast: false };
    waiting = [];
    size = 0;
  }
  yield { kind: "content", file, base64: Buffer.concat(waiting).toString("base64"), isLast: true };
}

async function* linesOfRun({ store }: PacketSources, orgId: string, runId: string): AsyncGenerator<PacketLine> {
  const [loaded] = await store.loadRuns([runId]);
  if (loaded === undefined) return;
  yield { kind: "run", run: loaded.run };
  yield* eventLines(loaded.events);
  yield { kind: "verdicts", verdicts: await store.verdictsOf(orgId, runId) };
  yield* approvalLines(store, orgId, loaded);
  yield { kind: "reports", reports: await store.reportsOfRun(orgId, runId) };
  yield { kind: "memories", memories: await store.memoriesOfRun(orgId, runId) };
  yield { kind: "files", files: await store.listRunFiles(orgId, runId) };
  yield { kind: "records", records: await recordsOf(store, orgId, runId) };
}

function* eventLines(events: readonly RunEvent[]): Generator<PacketLine> {
  let waiting: RunEvent[] = [];
  let length = 0;
  for (const event of events) {
    waiting.push(event);
    length += JSON.stringify(event).length;
    if (waiting.length < EVENTS_PER_LINE && length < LINE_LENGTH_MAX) continue;
    yield { kind: "events", events: waiting };
    waiting = [];
    length = 0;
  }
  if (waiting.length > 0) yield { kind: "events", events: waiting };
}

async function* approvalLines(
  store: PacketSources["store"],
  orgId: string,
  { events }: LoadedRun,
): AsyncGenerator<PacketLine> {
  const ids = events.flatMap((event) => (event.type === "approval.requested" ? [event.payload.approvalId] : []));
  for (const approvalId of new Set(ids)) {
    const approval = await store.getApproval(orgId, approvalId);
    if (approval === undefined) continue;
    const comments: ArchivedComment[] = [];
    for (let cursor: string | null = null; ;) {
      const page = await store.listComments(orgId, approvalId, { limit: PAGE, cursor });
      comments.push(...page.data.map((comment) => ({ ...comment, approvalId })));
      if (page.nextCursor === null) break;
      cursor = page.nextCursor;
    }
    yield { kind: "approval", approval, comments };
  }
}

/** Returns the audit records of a run, oldest first. */
async function recordsOf(store: PacketSources["store"], orgId: string, runId: string): Promise<AuditRecord[]> {
  const records: AuditRecord[] = [];
  for (let cursor: string | null = null; ;) {
    const page = await store.listAudit(orgId, { run: runId }, { limit: PAGE, cursor });
    records.push(...page.data);
    if (page.nextCursor === null) return records.reverse();
    cursor = page.nextCursor;
  }
}
