import * as fc from "fast-check";
import { beforeAll, describe, expect, it } from "vitest";
import { auditEntry, type AuditEntry, type AuditRecord, linkRecord, type VerifyResult } from "../core/audit/index.ts";
import { canonicalJson } from "../core/base/index.ts";
import { createMemoryStore } from "../store/index.ts";
import { AuditTrail } from "./audit-trail.ts";
import { createSigner } from "./signer.ts";
import { verifyAudit } from "./verify.ts";

const DAY_MS = 86_400_000;
const SEED = "07".repeat(32);

/** A log with a segment that is gone, one that was thinned, whole ones, and an open one. */
async function exported(): Promise<string> {
  let now = 1_700_000_000_000;
  const store = createMemoryStore({ now: () => now });
  const trail = new AuditTrail({ store, now: () => now, seed: SEED });
  const entryAt = (index: number, isHeld: boolean): AuditEntry =>
    auditEntry({
      at: now + index,
      type: isHeld ? "gate.held" : "node.completed",
      actor: "sluice",
      resource: `node/n${index}`,
      run: "run_1",
      node: `n${index}`,
      detail: { attempt: 1, text: 'é "quoted" \u{1F600} \\ud800', nested: [{ b: index }, null, 1.5] },
    });
  const segment = async (count: number, isHeld: (index: number) => boolean): Promise<void> => {
    await store.appendAudit(
      "org_1",
      Array.from({ length: count }, (_, index) => entryAt(index, isHeld(index))),
    );
    await trail.catchUp("org_1");
    now += 61_000;
    await trail.catchUp("org_1");
  };
  await segment(6, () => false);
  await segment(9, (index) => index % 3 === 1);
  now += 400 * DAY_MS;
  await trail.prune("org_1");
  await segment(12, () => false);
  await segment(7, (index) => index === 2);
  await store.appendAudit("org_1", [entryAt(1, true), entryAt(2, false), entryAt(3, false)]);
  await trail.catchUp("org_1");
  let text = "";
  for await (const piece of trail.export("org_1")) text += piece;
  return text;
}

async function* once(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes;
}

const judged = (bytes: Uint8Array): Promise<VerifyResult> => verifyAudit(once(bytes), { key: createSigner(SEED).key });

interface Mutant {
  readonly what: string;
  readonly lines: readonly string[];
  /** Hashes were made to fit, which is easy: then only what is signed gives it away. */
  readonly isForged?: boolean;
}

const isRecordLine = (line: string): boolean => line.startsWith('{"actor"');

/** Changes that can be made with the file and without the key. */
function mutate(lines: readonly string[], kind: number, one: number, two: number, rest: number): Mutant {
  const places = lines.flatMap((line, index) => (isRecordLine(line) ? [index] : []));
  const picked = [one, two].map((pick) => places[pick % places.length] ?? 0);
  const [left = 0, right = 0] = picked.sort((a, b) => a - b);
  const at = (index: number): string => lines[index] ?? "";
  const record = JSON.parse(at(left)) as AuditRecord;
  const edited = (change: Partial<AuditRecord>): string => canonicalJson({ ...record, ...change });
  const forged = (change: Partial<AuditRecord>): string => {
    const changed = { ...record, ...change };
    return linkRecord(changed, { ...changed, at: 0 }).line;
  };
  const later = { at: "2031-01-01T00:00:00.000Z" };
  const mutants: readonly (() => Mutant)[] = [
    () => ({ what: "swap", lines: lines.with(left, at(right)).with(right, at(left)) }),
    () => ({ what: "delete", lines: lines.toSpliced(left, 1) }),
    () => ({ what: "delete several", lines: lines.toSpliced(left, right - left + 1) }),
    () => ({ what: "delete any line", lines: lines.toSpliced(rest % lines.length, 1) }),
    () => ({ what: "cut the tail", lines: lines.slice(0, left) }),
    () => ({ what: "cut the tail, keep the head", lines: [...lines.slice(0, left), lines.at(-1) ?? ""] }),
    () => ({ what: "insert a copy", lines: lines.toSpliced(left, 0, at(right)) }),
    () => ({ what: "copy any line", lines: lines.toSpliced(left, 0, at(rest % lines.length)) }),
    () => ({ what: "insert", lines: lines.toSpliced(left, 0, edited({ actor: "eve" })) }),
    () => ({ what: "renumber", lines: lines.with(left, edited({ seq: record.seq + 1 + (rest % 5) })) }),
    () => ({ what: "change the time", lines: lines.with(left, edited(later)) }),
    () => ({ what: "forge the number", lines: lines.with(left, forged({ seq: record.seq + 1 + (rest % 5) })) }),
    () => ({ what: "forge the time", lines: lines.with(left, forged(later)), isForged: true }),
    () => ({ what: "insert a forgery", lines: lines.toSpliced(left, 0, forged({ actor: "eve" })), isForged: true }),
    () => ({
      what: "forge the rest",
      lines: [...lines.slice(0, left), ...reforged(lines.slice(left))],
      isForged: true,
    }),
  ];
  return mutants[kind % mutants.length]?.() ?? { what: "nothing", lines };
}

const KINDS = 15;

/** Everything from one record on, with hashes that fit each other. */
function reforged(lines: readonly string[]): readonly string[] {
  let prevHash: string | null = null;
  return lines.map((line) => {
    if (!isRecordLine(line)) return line;
    const record = JSON.parse(line) as AuditRecord;
    const entry = { ...record, at: 0, detail: { forged: true } };
    const next = linkRecord({ ...record, prevHash: prevHash ?? record.prevHash }, entry);
    prevHash = next.hash;
    return next.line;
  });
}

describe("a thousand mutations of an export", () => {
  let text: string;
  let lines: readonly string[];
  beforeAll(async () => {
    text = await exported();
    lines = text.split("\n").slice(0, -1);
  });

  /** The number of the record at a line of the export as it was; 0 where none stands. */
  const seqAt = (index: number): number => {
    const line = lines[index] ?? "";
    return isRecordLine(line) ? (JSON.parse(line) as AuditRecord).seq : 0;
  };

  const signedAfter = (index: number): number =>
    lines.findIndex((line, place) => place >= index && !isRecordLine(line));

  it("are of an export that passes", async () => {
    const kinds = lines.map((line) => (isRecordLine(line) ? "record" : (JSON.parse(line) as { kind: string }).kind));
    expect(new Set(kinds)).toEqual(new Set(["header", "pruned", "thinned", "record", "checkpoint", "head"]));
    const key = createSigner(SEED).key;
    const good = { ok: true, org: "org_1", key, records: 25, checkpoints: 3, lastSeq: 37 };
    expect(await judged(Buffer.from(text))).toEqual(good);
  });

  it("are all found, and the first bad record named", async () => {
    const number = fc.nat({ max: 100_000 });
    await fc.assert(
      fc.asyncProperty(fc.nat({ max: KINDS - 1 }), number, number, number, async (kind, one, two, rest) => {
        const mutant = mutate(lines, kind, one, two, rest);
        const changed = mutant.lines.map((line) => `${line}\n`).join("");
        // A record swapped with itself, or copied onto its own place, has not been changed.
        fc.pre(changed !== text);
        const at = lines.findIndex((line, index) => line !== mutant.lines[index]);
        const { ok, firstBad } = await judged(Buffer.from(changed));
        expect([mutant.what, ok]).toEqual([mutant.what, false]);
        expect(firstBad?.line, mutant.what).toBeGreaterThanOrEqual(at + 1);
        if (mutant.isForged === true) expect(firstBad?.line).toBeLessThanOrEqual(signedAfter(at) + 2);
        else if (mutant.what === "copy any line") expect(firstBad?.line).toBe(at + 1);
        else if (seqAt(at) > 0) expect([firstBad?.what, firstBad?.seq], mutant.what).toEqual(["record", seqAt(at)]);
      }),
      { numRuns: 500 },
    );
  });

  it("are found byte by byte", async () => {
    const bytes = Buffer.from(text);
    const begins = [0];
    for (const line of lines) begins.push((begins.at(-1) ?? 0) + Buffer.byteLength(line) + 1);
    await fc.assert(
      fc.asyncProperty(fc.nat({ max: bytes.length - 1 }), fc.integer({ min: 1, max: 255 }), async (place, by) => {
        const changed = Buffer.from(bytes);
        changed[place] = (bytes[place] ?? 0) ^ by;
        const index = begins.findLastIndex((begin) => begin <= place);
        const { ok, firstBad } = await judged(changed);
        expect(ok).toBe(false);
        expect(firstBad?.line).toBe(index + 1);
        if (seqAt(index) > 0) expect(firstBad).toMatchObject({ what: "record", seq: seqAt(index) });
      }),
      { numRuns: 400 },
    );
  });

  it("are found when bytes are cut off or added anywhere", async () => {
    const bytes = Buffer.from(text);
    await fc.assert(
      fc.asyncProperty(fc.nat({ max: bytes.length - 1 }), fc.constantFrom("cut", "add", "drop"), async (place, how) => {
        const [before, after] = [bytes.subarray(0, place), bytes.subarray(place)];
        const changed = {
          cut: before,
          add: Buffer.concat([before, Buffer.from(" "), after]),
          drop: Buffer.concat([before, after.subarray(1)]),
        }[how];
        expect((await judged(changed)).ok).toBe(false);
      }),
      { numRuns: 100 },
    );
    expect((await judged(bytes.subarray(0, -1))).firstBad?.reason).toContain("does not end with a line feed");
    expect((await judged(Buffer.concat([bytes, Buffer.from("\n")]))).firstBad?.reason).toContain("after the head");
  });
});
