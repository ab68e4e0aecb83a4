import { describe, expect, it } from "vitest";
import type { RunEvent } from "../core/event/index.ts";
import { BLOB_BYTES_MIN, packEvents, readBodies, unpackEvents } from "./event-pack.ts";

function started(args: Record<string, string>): RunEvent {
  const payload = { workflow: "w", version: 1, hash: "h", args, nodeCount: 1, trigger: "api", recursionDepth: 0 };
  return { eventId: 1, at: 1, type: "run.started", payload };
}

/** A text whose JSON has so many bytes. */
const textOf = (bytes: number): string => "x".repeat(bytes - 2);

describe("packing events", () => {
  it.each([
    [BLOB_BYTES_MIN - 1, 0],
    [BLOB_BYTES_MIN, 0],
    [BLOB_BYTES_MIN + 1, 1],
  ])("takes out a value of %i bytes %i times", (bytes, count) => {
    const { body, blobs } = packEvents([started({ text: textOf(bytes) })]);
    expect(blobs.size).toBe(count);
    expect(body.length > BLOB_BYTES_MIN).toBe(count === 0);
  });

  it("counts bytes, not characters", () => {
    expect(packEvents([started({ text: "é".repeat(BLOB_BYTES_MIN / 2) })]).blobs.size).toBe(1);
    expect(packEvents([started({ text: "é".repeat(BLOB_BYTES_MIN / 2 - 1) })]).blobs.size).toBe(0);
  });

  it("leaves events without large values as they are", () => {
    const events = [started({ refs: "mine" })];
    expect(packEvents(events).body).toBe(JSON.stringify(events));
    expect(packEvents([]).body).toBe("[]");
  });

  it("keeps equal values once and says where each was", () => {
    const text = textOf(BLOB_BYTES_MIN + 1);
    const { body, blobs } = packEvents([started({ a: text, b: text, c: "small" })]);
    const [stored] = readBodies([body]);
    expect(blobs.size).toBe(1);
    const [hash] = blobs.keys();
    const bytes = BLOB_BYTES_MIN + 1;
    expect(stored?.refs).toEqual([
      { path: ["args", "a"], hash, bytes },
      { path: ["args", "b"], hash, bytes },
    ]);
    expect(stored?.payload).toMatchObject({ args: { a: null, b: null, c: "small" } });
  });

  it("says which value is missing when a blob is gone", () => {
    const { body } = packEvents([started({ a: textOf(BLOB_BYTES_MIN + 1) })]);
    expect(() => unpackEvents(readBodies([body]), new Map())).toThrow("a value of event 1 is missing: blob sha256:");
  });
});
