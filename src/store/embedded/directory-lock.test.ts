import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { DirectoryInUse, lockByFile, lockDirectory } from "./directory-lock.ts";

describe.each([
  ["on this system", lockDirectory],
  ["by a file", lockByFile],
])("the lock of a directory %s", (_, lock) => {
  let directory: string;
  beforeEach(() => {
    directory = mkdtempSync(join(tmpdir(), "sluice-lock-"));
  });
  afterEach(() => rmSync(directory, { recursive: true }));

  it("is held by one at a time", async () => {
    const unlock = await lock(directory);
    await expect(lock(directory)).rejects.toThrow(DirectoryInUse);
    await unlock();
    await (
      await lock(directory)
    )();
  });
});

describe("a lock file that was left behind", () => {
  it.each([
    ["by a process that is no more", "999999999 then"],
    ["by an earlier process of the same id", `${process.pid} Mon Jan  1 00:00:00 1990`],
    ["empty", ""],
    ["with something else in it", "\0\0\0"],
  ])("%s is taken over", async (_, text) => {
    const directory = mkdtempSync(join(tmpdir(), "sluice-lock-"));
    writeFileSync(join(directory, "sluice.pid"), text);
    const unlock = await lockByFile(directory);
    await expect(lockByFile(directory)).rejects.toThrow(DirectoryInUse);
    await unlock();
    expect(existsSync(join(directory, "sluice.pid"))).toBe(false);
    rmSync(directory, { recursive: true });
  });
});
