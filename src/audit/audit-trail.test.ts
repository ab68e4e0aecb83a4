import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { auditEntry, type AuditEntry, type AuditType } from "../core/audit/index.ts";
import type { JsonObject } from "../core/base/index.ts";
import { createMemoryStore, type Store } from "../store/index.ts";
import { AuditTrail, type AuditTrailOptions, SEAL_BATCHES_MAX } from "./audit-trail.ts";
import { readAnchors } from "./checkpoint-file.ts";
import { DEFAULT_RETENTION } from "./retention.ts";
import { createSigner } from "./signer.ts";
import { verifyAudit } from "./verify.ts";

const ORG = "org_1";
const DAY_MS = 86_400_000;
const SEED = "0b".repeat(32);

interface Rig {
  readonly store: Store;
  readonly trail: AuditTrail;
  now: number;
  readonly with: (options: Partial<AuditTrailOptions>) => AuditTrail;
  readonly record: (count: number, type?: AuditType) => Promise<void>;
}

function rig(options: Partial<AuditTrailOptions> = {}): Rig {
  const on = { now: 1_700_000_000_000 };
  const now = (): number => on.now;
  const store = createMemoryStore({ now });
  const trailWith = (more: Partial<AuditTrailOptions>): AuditTrail =>
    new AuditTrail({ store, now, seed: SEED, ...options, ...more });
  const entry = (type: AuditType, index: number): AuditEntry =>
    auditEntry({ at: now(), type, actor: "ann", resource: `key/${index}`, detail: { index } });
  return Object.assign(on, {
    store,
    trail: trailWith({}),
    with: trailWith,
    record: (count: number, type: AuditType = "node.completed") =>
      store.appendAudit(
        ORG,
        Array.from({ length: count }, (_, index) => entry(type, index)),
      ),
  });
}

async function textOf(trail: AuditTrail): Promise<string> {
  let text = "";
  for await (const piece of trail.export(ORG)) text += piece;
  return text;
}

const linesOf = async (trail: AuditTrail): Promise<JsonObject[]> =>
  (await textOf(trail))
    .split("\n")
    .slice(0, -1)
    .map((line) => JSON.parse(line) as JsonObject);

const kindsOf = async (trail: AuditTrail): Promise<string> =>
  (await linesOf(trail)).map(({ kind, seq }) => (typeof kind === "string" ? kind : JSON.stringify(seq))).join(" ");

/** One closed segment of so many records. */
async function segment(on: Rig, count: number, type?: AuditType): Promise<void> {
  await on.record(count, type);
  await on.trail.catchUp(ORG);
  on.now += 60_000;
  await on.trail.catchUp(ORG);
}

async function* pieces(text: string): AsyncGenerator<string> {
  yield text;
}

describe("sealing", () => {
  it("closes a segment at a thousand records, and not before", async () => {
    for (const [count, closed] of [
      [999, 0],
      [1_000, 1],
      [1_001, 1],
      [2_000, 2],
    ] as const) {
      const on = rig();
      await on.record(count);
      await on.trail.catchUp(ORG);
      const checkpoints = (await linesOf(on.trail)).filter(({ kind }) => kind === "checkpoint");
      expect([count, checkpoints.length]).toEqual([count, closed]);
      expect(await on.trail.verify(ORG)).toMatchObject({ ok: true, records: count, lastSeq: count });
    }
  });

  it("closes a segment a minute after it was opened, and not before", async () => {
    const on = rig();
    await on.record(1);
    await on.trail.catchUp(ORG);
    on.now += 59_999;
    await on.trail.catchUp(ORG);
    expect(await kindsOf(on.trail)).toBe("header 1 head");
    on.now += 1;
    await on.trail.catchUp(ORG);
    expect(await kindsOf(on.trail)).toBe("header 1 checkpoint head");
    on.now += 120_000;
    await on.trail.catchUp(ORG);
    expect(await kindsOf(on.trail)).toBe("header 1 checkpoint head");
  });

  it("takes what waits a bounded piece at a time, in order", async () => {
    const on = rig();
    for (let call = 0; call <= SEAL_BATCHES_MAX; call += 1) {
      await on.record(1);
      on.now += 1;
    }
    expect(await on.trail.seal(ORG)).toMatchObject({ isFull: true });
    expect(await on.trail.seal(ORG)).toMatchObject({ isFull: false, records: [{ seq: SEAL_BATCHES_MAX + 1 }] });
    const times = (await linesOf(on.trail)).flatMap(({ kind, at }) => (kind === undefined ? [JSON.stringify(at)] : []));
    expect(times).toEqual([...times].sort());
    expect((await on.trail.verify(ORG)).ok).toBe(true);
  });

  it("keeps the chains of organisations apart", async () => {
    const on = rig();
    await on.record(2);
    await on.store.appendAudit("org_2", [
      auditEntry({ at: 1, type: "auth.failed", actor: "eve", resource: "key/1", detail: {} }),
    ]);
    await on.trail.catchUp(ORG);
    await on.trail.catchUp("org_2");
    expect(await on.trail.verify("org_2")).toMatchObject({ ok: true, org: "org_2", records: 1 });
    expect(await on.trail.verify(ORG)).toMatchObject({ ok: true, records: 2 });
    expect(await on.trail.verify("org_3")).toMatchObject({ ok: true, records: 0, lastSeq: 0 });
  });
});

describe("the key", () => {
  it("is made once for an installation, and the same ever after", async () => {
    const store = createMemoryStore();
    const [one, two] = [0, 1].map(() => new AuditTrail({ store, now: () => 0 }));
    expect(await one?.key()).toMatch(/^ed25519:[\w-]{43}$/);
    expect(await one?.key()).toBe(await two?.key());
    expect(await store.ensureSecret("audit_key", "")).toMatch(/^[\w-]{43}$/);
  });

  it("can be given in two ways, and is refused when it is none", () => {
    const hex = createSigner("ff".repeat(32)).key;
    expect(createSigner(Buffer.alloc(32, 255).toString("base64url")).key).toBe(hex);
    for (const bad of ["", "ff".repeat(31), "ff".repeat(33), "short"]) {
      expect(() => createSigner(bad)).toThrow("the audit key must be 32 bytes");
    }
  });

  it("that is pinned is the only one believed", async () => {
    const on = rig();
    await segment(on, 2);
    const text = await textOf(on.trail);
    const other = createSigner("0c".repeat(32)).key;
    expect(await verifyAudit(pieces(text), { key: other })).toMatchObject({
      ok: false,
      firstBad: { line: 1, what: "header" },
    });
    expect(await verifyAudit(pieces(text), { key: createSigner(SEED).key })).toMatchObject({ ok: true });
    expect(await verifyAudit(pieces(text))).toMatchObject({ ok: true });
  });

  it("that was replaced still vouches for what it signed, if the new one confirms it", async () => {
    const on = rig();
    await segment(on, 2);
    const renewed = on.with({ seed: "0c".repeat(32) });
    expect(await renewed.verify(ORG)).toMatchObject({
      ok: false,
      firstBad: { what: "checkpoint", seq: 2, reason: "it is signed with a key the header does not name" },
    });
    const vouching = on.with({ seed: "0c".repeat(32), formerKeys: [createSigner(SEED).key] });
    expect(await vouching.verify(ORG)).toMatchObject({ ok: true, records: 2 });
  });
});

describe("checkpoints outside the database", () => {
  let directory: string;
  beforeAll(() => {
    directory = mkdtempSync(join(tmpdir(), "sluice-audit-"));
  });
  afterAll(() => rmSync(directory, { recursive: true }));

  it("show that a log was rolled back or begun anew, which nothing in it shows", async () => {
    const checkpointFile = join(directory, "checkpoints.ndjson");
    const on = rig({ checkpointFile });
    expect(await on.trail.verify(ORG)).toMatchObject({ ok: true });
    await segment(on, 3);
    await segment(on, 3);
    expect(readFileSync(checkpointFile, "utf8").split("\n")).toHaveLength(3);
    expect(await on.trail.verify(ORG)).toMatchObject({ ok: true, records: 6 });
    const rolledBack = rig({ checkpointFile });
    await segment(rolledBack, 3);
    // The same three records again at the same times: what is left out is all that is wrong.
    expect(await rolledBack.trail.verify(ORG)).toMatchObject({
      ok: false,
      firstBad: { what: "record", seq: 4, reason: "it is missing: a checkpoint kept elsewhere covers records up to 6" },
    });
    const rewritten = rig({ checkpointFile });
    rewritten.now += 5;
    await segment(rewritten, 3);
    expect(await rewritten.trail.verify(ORG)).toMatchObject({ ok: false, firstBad: { what: "record", seq: 3 } });
  });

  it("are believed only as they were signed", async () => {
    const file = join(directory, "other.ndjson");
    const on = rig({ checkpointFile: file });
    await segment(on, 3);
    const text = readFileSync(file, "utf8");
    expect([...(await readAnchors(file))(ORG).keys()]).toEqual([3]);
    expect((await readAnchors(file))("org_2").size).toBe(0);
    for (const bad of [text.replace('"toSeq":3', '"toSeq":4'), `${text}{}\n`, text.slice(0, -1), "\n"]) {
      writeFileSync(file, bad);
      await expect(readAnchors(file)).rejects.toThrow(/:\d: this is no signed checkpoint/);
    }
  });
});

describe("retention", () => {
  it("lets whole segments go when their time is over, and the rest verifies", async () => {
    const on = rig();
    await segment(on, 3);
    await segment(on, 2);
    await segment(on, 2, "gate.held");
    const from = on.now;
    on.now = from + 365 * DAY_MS - 60_000;
    await segment(on, 2);
    expect(await kindsOf(on.trail)).toBe("header 1 2 3 checkpoint 4 5 checkpoint 6 7 checkpoint 8 9 checkpoint head");
    on.now = from - 120_000 + 365 * DAY_MS;
    expect(await on.trail.prune(ORG)).toBe(0);
    on.now += 1;
    expect(await on.trail.prune(ORG)).toBe(1);
    expect(await kindsOf(on.trail)).toBe("header pruned 4 5 checkpoint 6 7 checkpoint 8 9 checkpoint head");
    on.now += 120_000;
    expect(await on.trail.prune(ORG)).toBe(2);
    // What is gone is one piece, and what is kept for ever stays.
    expect(await kindsOf(on.trail)).toBe("header pruned 6 7 checkpoint 8 9 checkpoint head");
    expect(await on.trail.verify(ORG)).toMatchObject({ ok: true, records: 4, checkpoints: 2, lastSeq: 9 });
    expect(await on.trail.prune(ORG)).toBe(0);
    expect((await linesOf(on.trail))[1]).toMatchObject({ kind: "pruned", fromSeq: 1, toSeq: 5 });
  });

  it("keeps the records of a segment that are kept for longer, and the hashes of the others", async () => {
    const retention = { ...DEFAULT_RETENTION, execution: 10, configuration: 20 };
    const on = rig({ retention });
    for (const type of ["node.completed", "gate.held", "config.applied", "node.failed"] as const)
      await on.record(1, type);
    await segment(on, 1, "gateway.changed");
    const all = await linesOf(on.trail);
    const held = all.findIndex(({ type }) => type === "gate.held");
    on.now += 11 * DAY_MS;
    expect(await on.trail.prune(ORG)).toBe(1);
    expect(await on.trail.prune(ORG)).toBe(0);
    const thinned = (await linesOf(on.trail)).find(({ kind }) => kind === "thinned");
    expect(thinned?.["gone"]).toHaveLength(2);
    expect(await on.trail.verify(ORG)).toMatchObject({ ok: true, records: 3, checkpoints: 1, lastSeq: 5 });
    on.now += 11 * DAY_MS;
    expect(await on.trail.prune(ORG)).toBe(1);
    expect(await kindsOf(on.trail)).toBe(`header thinned ${held} checkpoint head`);
    expect(await on.trail.verify(ORG)).toMatchObject({ ok: true, records: 1, lastSeq: 5 });
    await on.record(1);
    await on.trail.catchUp(ORG);
    expect(await on.trail.verify(ORG)).toMatchObject({ ok: true, records: 2, lastSeq: 6 });
  });

  it("removes nothing without a signed note", async () => {
    const on = rig();
    await segment(on, 1, "gate.held");
    await segment(on, 2);
    on.now += 400 * DAY_MS;
    await on.trail.prune(ORG);
    const text = await textOf(on.trail);
    const lines = text.split("\n");
    const hidden = [lines[0], ...lines.slice(2)].join("\n");
    expect(await verifyAudit(pieces(hidden))).toMatchObject({ ok: false, firstBad: { what: "record", seq: 1 } });
    const claimed = text.replace('"fromSeq":2,"key"', '"fromSeq":1,"key"');
    expect(claimed).not.toBe(text);
    expect(await verifyAudit(pieces(claimed))).toMatchObject({
      ok: false,
      firstBad: { what: "pruned", reason: "its signature is wrong" },
    });
  });

  it("vouches for nothing that was changed before it came", async () => {
    const on = rig();
    await segment(on, 3);
    on.now += 400 * DAY_MS;
    const pruneSegment: Store["pruneSegment"] = (orgId, asked, compute) =>
      on.store.pruneSegment(orgId, asked, (read, previous) => {
        const lines = read.lines.map((line) => line.replace('"actor":"ann"', '"actor":"eve"'));
        return compute({ ...read, lines }, previous);
      });
    const trail = on.with({ store: { ...on.store, pruneSegment } });
    await expect(trail.prune(ORG)).rejects.toThrow("records 1 to 3 do not fit their checkpoint");
    expect(await on.trail.verify(ORG)).toMatchObject({ ok: true, records: 3 });
  });
});

describe("another key", () => {
  const OTHER = "1c".repeat(32);
  const first = createSigner(SEED).key;

  it("signs what follows, and all of it verifies when the key before it is named", async () => {
    const on = rig();
    await segment(on, 3);
    const next = on.with({ seed: OTHER, formerKeys: [first] });
    await on.record(2);
    await next.catchUp(ORG);
    on.now += 60_000;
    await next.catchUp(ORG);
    const { key } = createSigner(OTHER);
    const lines = await linesOf(next);
    expect(lines[0]).toMatchObject({ kind: "header", key, formerKeys: [first] });
    const signers = lines.flatMap((line) => (line["kind"] === "checkpoint" ? [line["key"]] : []));
    expect(signers).toEqual([first, key]);
    expect(await next.verify(ORG)).toMatchObject({ ok: true, records: 5, checkpoints: 2, key });
    on.now += 400 * DAY_MS;
    expect(await next.prune(ORG)).toBeGreaterThan(0);
    expect(await next.verify(ORG)).toMatchObject({ ok: true });
  });

  it("without those before it leaves what they signed unproved", async () => {
    const on = rig();
    await segment(on, 3);
    const next = on.with({ seed: OTHER });
    expect(await next.verify(ORG)).toMatchObject({
      ok: false,
      firstBad: { what: "checkpoint", reason: "it is signed with a key the header does not name" },
    });
  });

  it("is named once, whatever was set", async () => {
    const on = rig();
    const { key } = createSigner(OTHER);
    const [header] = await linesOf(on.with({ formerKeys: [key, first, key] }));
    expect(header).toMatchObject({ key: first, formerKeys: [key] });
  });
});
