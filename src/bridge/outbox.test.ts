import { appendFileSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { createVirtualClock, type VirtualClock } from "../clock/index.ts";
import { appendBytes } from "./append.ts";
import { Journal } from "./journal.ts";
import { Outbox, type OutboxOptions } from "./outbox.ts";

let directory: string;
let clock: VirtualClock;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), "sluice-outbox-"));
  clock = createVirtualClock(10_000_000);
});
afterEach(() => rmSync(directory, { recursive: true, force: true }));

const URL_A = "http://127.0.0.1:1/api/workflow/step-complete";
const open = (options: Partial<OutboxOptions> = {}): Outbox => new Outbox({ directory, clock, ...options });
const files = (): string[] => readdirSync(directory).sort();
const ids = (outbox: Outbox): string[] => outbox.undelivered().map(({ dispatchId }) => dispatchId);
const nothing = (): void => undefined;
const pass = (ms: number): Promise<boolean> => {
  let isOver = false;
  clock.after(ms, () => (isOver = true));
  return clock.run(() => isOver);
};

describe("outbox", () => {
  it("writes all of one turn at once, before anything is sent", async () => {
    let writes = 0;
    const outbox = open({ append: (path, bytes) => ((writes += 1), appendBytes(path, bytes)) });
    const seen: string[] = [];
    for (const id of ["a", "b", "c"]) {
      outbox.add(id, URL_A, `{"id":"${id}"}`, () => {
        seen.push(id);
        expect(readFileSync(join(directory, files()[0] ?? ""), "utf8")).toContain(`{"id":"${id}"}`);
      });
      expect(outbox.has(id)).toBe(true);
    }
    expect(seen).toEqual([]);
    await clock.run(() => seen.length === 3);
    expect([writes, seen]).toEqual([1, ["a", "b", "c"]]);
  });

  it("reads back what was not delivered, and knows what was", () => {
    const first = open();
    for (const id of ["a", "ünï", 'c","body":{']) first.add(id, URL_A, JSON.stringify({ text: `ß ${id}` }), nothing);
    first.add("kept", null, "{}", nothing);
    first.flush();
    first.settle("a");
    first.flush();
    const second = open();
    expect(ids(second)).toEqual(["ünï", 'c","body":{']);
    expect(["a", "ünï", 'c","body":{', "kept", "x"].map((id) => second.has(id))).toEqual([
      true,
      true,
      true,
      true,
      false,
    ]);
    expect(second.read('c","body":{')).toEqual({ text: 'ß c","body":{' });
    expect(second.textOf("ünï")).toBe('{"text":"ß ünï"}');
  });

  it("forgets what a kill kept from being written, and reads around half a line", () => {
    const first = open();
    first.add("a", URL_A, '{"n":1}', nothing);
    first.flush();
    first.add("unwritten", URL_A, "{}", nothing);
    const [file = ""] = files();
    const whole = readFileSync(join(directory, file));
    for (let cut = 1; cut <= whole.length; cut += 1) {
      writeFileSync(join(directory, file), Buffer.concat([whole, whole.subarray(0, whole.length - cut)]));
      expect(ids(open())).toEqual(["a"]);
    }
    writeFileSync(join(directory, file), whole.subarray(0, -1));
    const torn = open();
    expect(torn.has("a")).toBe(false);
    torn.add("b", URL_A, "{}", nothing);
    torn.flush();
    expect(ids(open())).toEqual(["b"]);
    expect(files()).toEqual(["00000002.ndjson"]);
  });

  it("is not confused by what is not its own", () => {
    writeFileSync(
      join(directory, "00000007.ndjson"),
      '\n[]\nnull\n{"ended":1,"id":2}\n{"settled":1,"id":"zz"}\n\u0000\n',
    );
    writeFileSync(join(directory, "notes.txt"), "hello");
    const outbox = open();
    expect(ids(outbox)).toEqual([]);
    outbox.add("a", URL_A, "{}", nothing);
    outbox.flush();
    expect(files()).toEqual(["00000008.ndjson", "notes.txt"]);
  });

  it("cannot be read by others", () => {
    const outbox = open();
    outbox.add("a", URL_A, "{}", nothing);
    outbox.flush();
    expect(statSync(join(directory, files()[0] ?? "")).mode & 0o077).toBe(0);
  });

  it("drops segments whose time is over, and carries on what is undelivered", async () => {
    const outbox = open({ keepMs: 3_600_000 });
    outbox.add("delivered", URL_A, "{}", nothing);
    outbox.add("waiting", URL_A, '{"n":1}', nothing);
    outbox.flush();
    outbox.settle("delivered");
    await pass(1_800_000);
    outbox.add("b", null, "{}", nothing);
    outbox.flush();
    expect(outbox.has("delivered")).toBe(true);
    await pass(3_600_000);
    outbox.add("c", null, "{}", nothing);
    outbox.flush();
    expect(["delivered", "waiting", "b", "c"].map((id) => outbox.has(id))).toEqual([false, true, false, true]);
    expect(files()).toHaveLength(1);
    expect(outbox.textOf("waiting")).toBe('{"n":1}');
    const again = open();
    expect(ids(again)).toEqual(["waiting"]);
    expect(again.textOf("waiting")).toBe('{"n":1}');
  });

  it("makes room by dropping what was delivered, never what was not", () => {
    const outbox = open({ bytesMax: 4_000, segmentBytesMax: 1_000 });
    const text = JSON.stringify({ text: "x".repeat(400) });
    outbox.add("waiting", URL_A, text, nothing);
    outbox.flush();
    for (let index = 0; index < 50; index += 1) {
      outbox.add(`d${index}`, null, text, nothing);
      outbox.flush();
    }
    expect(outbox.has("d0")).toBe(false);
    expect(outbox.has("d49")).toBe(true);
    const bytes = files().reduce((sum, file) => sum + statSync(join(directory, file)).size, 0);
    expect(bytes).toBeLessThan(7_000);
    expect(outbox.textOf("waiting")).toBe(text);
    expect(ids(open())).toEqual(["waiting"]);
  });

  it("keeps in memory only so much of what is on disk", () => {
    const outbox = open({ cacheBytesMax: 10 });
    outbox.add("a", URL_A, '{"text":"äöü"}', nothing);
    outbox.flush();
    expect(outbox.textOf("a")).toBe('{"text":"äöü"}');
    for (const file of files()) rmSync(join(directory, file));
    expect(outbox.textOf("a")).toBeUndefined();
  });

  it("continues in memory while the disk is full, and writes when there is room again", async () => {
    let isFull = true;
    const troubles: string[] = [];
    const outbox = open({
      append: (path, bytes) => {
        if (!isFull) return appendBytes(path, bytes);
        appendFileSync(path, bytes.subarray(0, 10));
        throw new Error("ENOSPC: no space left on device");
      },
      onTrouble: (message) => troubles.push(message),
    });
    let written = 0;
    for (const id of ["a", "b", "c"]) {
      outbox.add(id, URL_A, "{}", () => (written += 1));
      outbox.flush();
    }
    expect([written, outbox.isDegraded, troubles.length]).toEqual([3, true, 1]);
    expect(troubles[0]).toContain("ENOSPC");
    outbox.settle("b");
    isFull = false;
    await pass(5_001);
    expect(outbox.isDegraded).toBe(false);
    expect(ids(outbox)).toEqual(["a", "c"]);
    expect(ids(open())).toEqual(["a", "c"]);
  });
});

describe("journal", () => {
  const DAY = 24 * 3_600_000;
  const journal = (now: number): Journal => new Journal({ directory, now });

  it("knows after a restart what began before it", () => {
    journal(0).record('odd "id"\n', 5);
    expect(journal(10).startedAt('odd "id"\n')).toBe(5);
    expect(journal(10).startedAt("other")).toBeUndefined();
  });

  it.each([
    [7 * DAY - 1, 0],
    [7 * DAY, 0],
    [7 * DAY + 1, undefined],
  ])("remembers after %i ms: %s", (age, startedAt) => {
    journal(0).record("a", 0);
    expect(journal(age).startedAt("a")).toBe(startedAt);
  });

  it("reads around half a line, and writes none after one", () => {
    journal(0).record("a", 1);
    appendFileSync(join(directory, "journal.ndjson"), '{"id":"b","a');
    journal(2).record("c", 2);
    const after = journal(3);
    expect(["a", "b", "c"].map((id) => after.startedAt(id))).toEqual([1, undefined, 2]);
  });

  it("throws when it cannot write, and is whole afterwards", () => {
    let isFull = true;
    const full = new Journal({
      directory,
      now: 0,
      append: (path, bytes) => {
        if (!isFull) return appendBytes(path, bytes);
        appendFileSync(path, bytes.subarray(0, 5));
        throw new Error("ENOSPC");
      },
    });
    expect(() => full.record("a", 1)).toThrow("ENOSPC");
    expect(full.startedAt("a")).toBeUndefined();
    isFull = false;
    full.record("b", 2);
    expect([journal(3).startedAt("a"), journal(3).startedAt("b")]).toEqual([undefined, 2]);
  });
});
