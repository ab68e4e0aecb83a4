import { describe, expect, it } from "vitest";
import { decodeCursor, encodeCursor, listed } from "./cursor.ts";
import { BadCursor } from "./store-error.ts";

describe("a cursor", () => {
  it("comes back as it went out", () => {
    for (const position of [
      { at: 0, id: "run_1" },
      { at: -5, id: "" },
      { at: Number.MAX_SAFE_INTEGER, id: "\u{1F600}/?&=+" },
    ]) {
      const cursor = encodeCursor(position);
      expect(cursor).toMatch(/^[\w-]+$/);
      expect(decodeCursor(cursor)).toEqual(position);
    }
    expect(decodeCursor(null)).toBeNull();
  });

  it.each(["[]", "[1]", '["1","a"]', '[1.5,"a"]', '[1e300,"a"]', '[1,"a",2]', '{"at":1}', "null", '[1,"\\u0000"]'])(
    "that holds %s is refused",
    (text) => {
      expect(() => decodeCursor(Buffer.from(text).toString("base64url"))).toThrow(BadCursor);
    },
  );
});

describe("a page", () => {
  const position = (id: string): { at: number; id: string } => ({ at: 1, id });

  it("names where to go on only when there is more", () => {
    expect(listed(["a", "b"], 2, position)).toEqual({ data: ["a", "b"], nextCursor: null });
    expect(listed(["a", "b", "c"], 2, position)).toEqual({ data: ["a", "b"], nextCursor: encodeCursor(position("b")) });
    expect(listed([], 2, position)).toEqual({ data: [], nextCursor: null });
  });
});
