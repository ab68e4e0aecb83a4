import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { RunEvent } from "../core/event/index.ts";
import { BLOB_BYTES_MIN, hashesIn, packEvents, readBodies, unpackEvents } from "./event-pack.ts";

const hostileKey = fc.oneof(
  fc.string(),
  fc.constantFrom("__proto__", "constructor", "refs", "path", "*", "", "outputs"),
);
const large = fc.constantFrom("x", "é", "\u{1F600}", '"', "\0", "\x1e").map((text) => text.repeat(BLOB_BYTES_MIN));
const value = fc.oneof({ weight: 3, arbitrary: fc.jsonValue() }, large, fc.array(large, { maxLength: 2 }));
// Through text, as everything that enters a state has come: no -0, no undefined.
const fields = fc
  .dictionary(hostileKey, value, { maxKeys: 4 })
  .map((object) => JSON.parse(JSON.stringify(object)) as Record<string, unknown>);

const payloads: readonly (readonly [RunEvent["type"], (data: Record<string, unknown>) => unknown])[] = [
  ["run.started", (data) => ({ workflow: "w", args: data })],
  ["node.completed", (data) => ({ nodeId: "a", envelope: { output: "", ...data }, outputs: data })],
  ["node.expanded", (data) => ({ nodeId: "a", items: Object.values(data) })],
  ["run.failed", (data) => ({ counts: {}, snapshot: { variables: data, accumulatedOutputs: { a: data, b: {} } } })],
  ["approval.resolved", (data) => ({ nodeId: "a", modifications: data })],
  ["node.log", (data) => ({ nodeId: "a", detail: data })],
  ["node.cancelled", (data) => ({ nodeId: "a", reason: "r", ...data })],
];

const event = fc
  .tuple(fc.constantFrom(...payloads), fields)
  .map(([[type, payload], data]) => ({ eventId: 1, at: 1, type, payload: payload(data) }) as RunEvent);

describe("packing events", () => {
  it("loses nothing and finds every large value of authors again", () => {
    fc.assert(
      fc.property(fc.array(event, { maxLength: 4 }), (events) => {
        const { body, blobs } = packEvents(events);
        const stored = readBodies([body]);
        expect(new Set(blobs.keys())).toEqual(hashesIn(stored));
        for (const text of blobs.values()) expect(Buffer.byteLength(text)).toBeGreaterThan(BLOB_BYTES_MIN);
        expect(JSON.stringify(unpackEvents(stored, blobs))).toBe(JSON.stringify(events));
      }),
      { numRuns: 60 },
    );
  });

  it("never holds the character that bodies are joined by", () => {
    fc.assert(
      fc.property(fc.array(event, { maxLength: 2 }), (events) => {
        expect(packEvents(events).body).not.toContain("\x1e");
      }),
      { numRuns: 30 },
    );
  });
});
