import * as fc from "fast-check";
import { beforeAll, describe, expect, it } from "vitest";
import { auditEntry, type AuditEntry, type AuditRecord, linkRecord, type VerifyResult } from "../core/audit/index.ts";
import { createMemoryStore } from "../store/index.ts";
import { AuditDesk } from "./audit-desk.ts";
import { createSigner } from "./signer.ts";
import { verifyAudit } from "./verify.ts";

const DAY_MS = 86_400_000;
const SEED = "07".repeat(32);

/** A log with a segment that is gone, one that was thinned, whole ones, and an open one. */
async function exported(): Promise<string> {
  let now = 1_700_000_000_000;
  const store = createMemoryStore({ now: () => now });
  const desk = new AuditDesk({ store, now: () => now, seed: SEED });
  const told = (index: number, isHeld: boolean): AuditEntry =>
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
      Array.from({ length: count }, (_, index) => told(index, isHeld(index))),
    );
    await desk.catchUp("org_1");
    now += 61_000;
    await desk.catchUp("org_1");
  };
  await segment(6, () => false);
  await segment(9, (index) => index % 3 === 1);
  now += 400 * DAY_MS;
  await desk.prune("org_1");
  await segment(12, () => false);
  await segment(7, (index) => index === 2);
  await store.appendAudit("org_1", [told(1, true), told(2, false), told(3, false)]);
  await desk.catchUp("org_1");
  let text = "";
  for await (const piece of desk.export("org_1")) text += piece;
  return text;
}

async function* once(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes;
}

const judged = (bytes: Uint8Array): Promise<VerifyResult> => verifyAudit(once(bytes), { key: createSigner(SEED).key });

interface Mutant {
  readonly what: string;
  readonly lines: readonly string[];
}

/** Changes as somebody with the file, and without the key, can make them. */
function mutate(lines: readonly string[], kind: number, one: number, two: number, rest: number): Mutant {
  const record = (pick: number): number => {
    const places = lines.flatMap((line, index) => (line.startsWith('{"actor"') ? [index] : []));
    return places[pick % places.length] ?? 0;
  };
  const [left = 0, right = 0] = [record(one), record(two)].sort((a, b) => a - b);
  const parsed = (index: number): AuditRecord => JSON.parse(lines[index] ?? "") as AuditRecord;
  /** With a hash that fits, as a careful forger would. */
  const forged = (index: number, change: Partial<AuditRecord>): string => {
    const changed = { ...parsed(index), ...change };
    return linkRecord(changed, { ...changed, at: 0 }).line;
  };
  switch (kind) {
    case 0:
      return { what: "swap", lines: lines.with(left, lines[right] ?? "").with(right, lines[left] ?? "") };
    case 1:
      return { what: "delete", lines: lines.toSpliced(left, 1) };
    case 2:
      return { what: "delete several", lines: lines.toSpliced(left, right - left + 1) };
    case 3:
      return { what: "cut the tail", lines: lines.slice(0, left) };
    case 4:
      return { what: "cut the tail, keep the head", lines: [...lines.slice(0, left), lines.at(-1) ?? ""] };
    case 5:
      return { what: "insert a copy", lines: lines.toSpliced(left, 0, lines[right] ?? "") };
    case 6:
      return { what: "insert a forged one", lines: lines.toSpliced(left, 0, forged(left, { actor: "eve" })) };
    case 7: {
      const { seq, prevHash } = parsed(left);
      const renumbered = forged(left, { seq: seq + 1 + (rest % 5), prevHash });
      return { what: "renumber", lines: lines.with(left, renumbered) };
    }
    case 8:
      return {
        what: "change the time",
        lines: lines.with(left, forged(left, { at: "2031-01-01T00:00:00.000Z" })),
      };
    case 9: {
      // Everything from one record on, forged with hashes that fit each other.
      let { prevHash } = parsed(left);
      const tail = lines.slice(left).map((line) => {
        if (!line.startsWith('{"actor"')) return line;
        const found = JSON.parse(line) as AuditRecord;
        const next = linkRecord({ ...found, prevHash }, { ...found, at: 0, detail: { forged: true } });
        prevHash = next.hash;
        return next.line;
      });
      return { what: "cut and append again", lines: [...lines.slice(0, left), ...tail] };
    }
    default: {
      const place = rest % lines.length;
      return { what: "delete any line", lines: lines.toSpliced(place, 1) };
    }
  }
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
    return line.startsWith('{"actor"') ? (JSON.parse(line) as AuditRecord).seq : 0;
  };

  it("are of an export that passes", async () => {
    const kinds = lines.map((line) =>
      line.startsWith('{"actor"') ? "record" : (JSON.parse(line) as { kind: string }).kind,
    );
    expect(new Set(kinds)).toEqual(new Set(["header", "pruned", "thinned", "record", "checkpoint", "head"]));
    const key = createSigner(SEED).key;
    const good = { ok: true, org: "org_1", key, records: 25, checkpoints: 3, lastSeq: 37 };
    expect(await judged(Buffer.from(text))).toEqual(good);
  });

  it("are all found, and the first bad record named", async () => {
    const number = fc.nat({ max: 100_000 });
    await fc.assert(
      fc.asyncProperty(fc.nat({ max: 10 }), number, number, number, async (kind, one, two, rest) => {
        const mutant = mutate(lines, kind, one, two, rest);
        const changed = mutant.lines.map((line) => `${line}\n`).join("");
        // A record swapped with itself, or copied onto its own place, has not been changed.
        fc.pre(changed !== text);
        const at = lines.findIndex((line, index) => line !== mutant.lines[index]);
        const { ok, firstBad } = await judged(Buffer.from(changed));
        expect([mutant.what, ok]).toEqual([mutant.what, false]);
        expect(firstBad?.line, mutant.what).toBeGreaterThanOrEqual(at + 1);
        if (seqAt(at) > 0) expect([firstBad?.what, firstBad?.seq], mutant.what).toEqual(["record", seqAt(at)]);
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
