import { describe, expect, it } from "vitest";
import {
  fileNameProblem,
  filePartCount,
  filePartSize,
  filesIn,
  filesWithin,
  fileValueProblem,
  isFileValue,
} from "./file-value.ts";
import { LIMITS } from "./limits.ts";

const FILE = { name: "a.pdf", mime: "application/pdf", size: 5, sha256: "0".repeat(64) };

describe("a file as a value", () => {
  it("has a name, a type, a size and a hash, and nothing else", () => {
    expect(isFileValue(FILE)).toBe(true);
    for (const wrong of [
      null,
      "a.pdf",
      [FILE],
      {},
      { ...FILE, path: "/" },
      { ...FILE, size: "5" },
      { ...FILE, size: 1.5 },
    ]) {
      expect(isFileValue(wrong)).toBe(false);
    }
    expect(fileValueProblem({ ...FILE, sha256: "0".repeat(63) })).toContain("64 hexadecimal digits");
    expect(fileValueProblem({ ...FILE, sha256: "A".repeat(64) })).toContain("64 hexadecimal digits");
    expect(fileValueProblem({ ...FILE, name: "../a" })).toContain("without a path");
    expect(fileValueProblem({ ...FILE, mime: "pdf" })).toContain("media type");
    expect(fileValueProblem({ ...FILE, size: 0 })).toContain("empty");
    expect(fileValueProblem({ ...FILE, size: LIMITS.fileBytesMax + 1 })).toContain("at most");
    expect(isFileValue({ ...FILE, size: LIMITS.fileBytesMax })).toBe(true);
    expect(isFileValue(Object.create(FILE))).toBe(false);
  });

  it("has a name of at most 255 bytes", () => {
    for (const [name, isFine] of [
      ["a".repeat(255), true],
      ["a".repeat(256), false],
      ["\u{1F600}".repeat(63), true],
      ["\u{1F600}".repeat(64), false],
      ["ok\ud800", false],
    ] as const) {
      expect(fileNameProblem(name) === null).toBe(isFine);
    }
  });

  it("is found among values and in lists of them", () => {
    const found = filesIn({ a: FILE, b: [FILE, "x", { ...FILE, name: "b" }], c: { nested: FILE }, d: 1 });
    expect(found.map(([name, file]) => [name, file.name])).toEqual([
      ["a", "a.pdf"],
      ["b", "a.pdf"],
      ["b", "b"],
    ]);
  });

  it("is found at any depth", () => {
    const other = { ...FILE, name: "b" };
    const found = filesWithin({ a: FILE, items: [{ copy: other, sha256: "not a hash" }], none: null });
    expect(found.map(({ name }) => name).toSorted()).toEqual(["a.pdf", "b"]);
    expect(filesWithin({ size: 1 })).toEqual([]);
  });

  it("has parts of 8 MiB, the last one shorter", () => {
    const part = LIMITS.filePartBytes;
    for (const [size, sizes] of [
      [1, [1]],
      [part, [part]],
      [part + 1, [part, 1]],
      [2 * part, [part, part]],
    ] as const) {
      expect(filePartCount(size)).toBe(sizes.length);
      expect(sizes.map((_, index) => filePartSize(size, index + 1))).toEqual(sizes);
      for (const none of [0, -1, 1.5, sizes.length + 1]) expect(filePartSize(size, none)).toBeUndefined();
    }
    expect(filePartCount(LIMITS.fileBytesMax)).toBe(128);
  });
});
