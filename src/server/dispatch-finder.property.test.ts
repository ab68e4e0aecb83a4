import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { DispatchFinder } from "./dispatch-finder.ts";

function find(text: string, pieceLength = text.length || 1): string | null {
  const finder = new DispatchFinder();
  const bytes = Buffer.from(text);
  for (let at = 0; at < bytes.length; at += pieceLength) finder.take(bytes.subarray(at, at + pieceLength));
  return finder.dispatchId;
}

const anything = fc.dictionary(fc.string(), fc.jsonValue({ maxDepth: 3 }), { maxKeys: 5 });

describe("whose report a body is", () => {
  it("is found wherever it stands, in whatever pieces the body comes", () => {
    fc.assert(
      fc.property(
        anything,
        anything,
        fc.string({ maxLength: 50 }),
        fc.integer({ min: 1, max: 9 }),
        (before, after, id, piece) => {
          const names = ["dispatchId", "dispatch_id", "taskId", "task_id"];
          for (const part of [before, after]) for (const name of names) delete part[name];
          const text = JSON.stringify({ ...before, dispatchId: id, ...after });
          expect(find(text, piece)).toBe(id);
        },
      ),
      { numRuns: 200 },
    );
  });

  it("is not what stands deeper, in a text, or under another name", () => {
    expect(
      find(JSON.stringify({ outputs: { dispatchId: "x", list: [{ taskId: "y" }] }, note: '"dispatchId":"z"' })),
    ).toBeNull();
    expect(find(JSON.stringify({ note: "dispatchId", other: "x", dispatchId: 7, last: "y" }))).toBeNull();
    expect(find('{"dispatchId": "a\\u002fb", broken')).toBe("a/b");
    expect(find("")).toBeNull();
  });
});
