import { describe, expect, it } from "vitest";
import { auditEntry } from "../core/audit/index.ts";
import { createMemoryStore, type RecordColumns, type SegmentRead, type Store } from "../store/index.ts";
import { AuditTrail } from "./audit-trail.ts";

const ORG = "org_1";

/** Five records, three of them under a checkpoint, read through `change`. */
async function trailOver(change: (read: SegmentRead) => SegmentRead): Promise<AuditTrail> {
  const clock = { now: 1_700_000_000_000 };
  const now = (): number => clock.now;
  const kept = createMemoryStore({ now });
  const store: Store = {
    ...kept,
    readSegment: async (...asked) => {
      const read = await kept.readSegment(...asked);
      return read === null ? null : change(read);
    },
  };
  const trail = new AuditTrail({ store, now, seed: "0b".repeat(32) });
  const record = (count: number): Promise<void> =>
    kept.appendAudit(
      ORG,
      Array.from({ length: count }, (_, index) =>
        auditEntry({
          at: now(),
          type: "run.started",
          actor: "ann",
          resource: "run/run_1",
          ...(index === 0 ? {} : { run: "run_1" }),
          detail: {},
        }),
      ),
    );
  await record(3);
  await trail.catchUp(ORG);
  clock.now += 60_000;
  await trail.catchUp(ORG);
  await record(2);
  await trail.catchUp(ORG);
  return trail;
}

const inRecord =
  (seq: number, column: Partial<RecordColumns>) =>
  (read: SegmentRead): SegmentRead => ({
    ...read,
    columns: read.columns.map((one) => (one.seq === seq ? { ...one, ...column } : one)),
  });

describe("a column that was changed beside its line", () => {
  it.each([
    ["at", { at: 1 }],
    ["category", { category: "governance" }],
    ["type", { type: "run.finished" }],
    ["run", { run: "run_2" }],
    ["run", { run: null }],
    ["seq", { seq: 9 }],
  ] as const)("is found: %s becomes %j", async (name, column) => {
    const trail = await trailOver(inRecord(2, column));
    expect(await trail.verify(ORG)).toMatchObject({
      ok: false,
      firstBad: { what: "record", line: 3, reason: `its column "${name}" is not what was hashed` },
    });
  });

  it("is found in the open segment as well, where nothing is signed yet", async () => {
    const trail = await trailOver(inRecord(5, { run: null }));
    // Header, three records, a checkpoint, and the fourth record come before it.
    expect(await trail.verify(ORG)).toMatchObject({ ok: false, firstBad: { what: "record", seq: 5, line: 7 } });
  });

  it("is found where a run is put to a record that has none", async () => {
    expect(await (await trailOver(inRecord(1, { run: "run_1" }))).verify(ORG)).toMatchObject({ firstBad: { seq: 1 } });
  });

  it.each([["fromSeq"], ["at"]] as const)("is found beside a checkpoint: %s", async (name) => {
    const trail = await trailOver((read) =>
      read.closed === null ? read : { ...read, closed: { ...read.closed, [name]: 2 } },
    );
    const reason = `its column "${name}" is not what was hashed`;
    expect(await trail.verify(ORG)).toMatchObject({
      ok: false,
      firstBad: { what: "checkpoint", seq: 3, line: 5, reason },
    });
  });

  it("does not hide an earlier line that is bad, and is hidden by none that comes later", async () => {
    const broken =
      (index: number) =>
      (read: SegmentRead): SegmentRead => ({
        ...read,
        lines: read.lines.map((line, at) => (read.closed !== null && at === index ? line.replace("ann", "bob") : line)),
      });
    const both = (line: number, column: number) => (read: SegmentRead) =>
      inRecord(column, { run: "run_9" })(broken(line - 1)(read));
    expect((await (await trailOver(both(1, 3))).verify(ORG)).firstBad).toMatchObject({
      seq: 1,
      reason: "its content is not what was hashed",
    });
    expect((await (await trailOver(both(3, 2))).verify(ORG)).firstBad).toMatchObject({ seq: 2 });
  });
});

it("an untouched log verifies", async () => {
  expect(await (await trailOver((read) => read)).verify(ORG)).toMatchObject({ ok: true, records: 5, checkpoints: 1 });
});
