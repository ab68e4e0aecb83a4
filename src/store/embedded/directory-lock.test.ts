import { spawn } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
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

const START = "0123456789abcdef";
const OTHERS = "11111111-2222-3333-4444-555555555555";

describe("a lock file that was left behind", () => {
  it.each([
    ["by a process that is no more", `sluice-999999999-${START}-${OTHERS}.pid`],
    ["by an earlier process of the same id", `sluice-${process.pid}-${START}-${OTHERS}.pid`],
    ["with no process of this system", `sluice-0-${START}-${OTHERS}.pid`],
  ])("%s is removed", async (_, name) => {
    const directory = mkdtempSync(join(tmpdir(), "sluice-lock-"));
    writeFileSync(join(directory, name), "");
    const unlock = await lockByFile(directory);
    expect(readdirSync(directory)).toEqual([expect.not.stringContaining(OTHERS)]);
    await expect(lockByFile(directory)).rejects.toThrow(DirectoryInUse);
    await unlock();
    expect(readdirSync(directory)).toEqual([]);
    rmSync(directory, { recursive: true });
  });
});

/** Takes the lock, prints what came of it, and holds it until its input ends. */
const TAKER = `
  import { lockByFile } from ${JSON.stringify(join(import.meta.dirname, "directory-lock.ts"))};
  const [directory] = process.argv.slice(1);
  const word = await lockByFile(directory).then(() => "held", (error) => error.name);
  process.stdout.write(word);
  process.stdin.resume();`;

describe("processes that take the lock of a directory by a file at the same moment", () => {
  /** A directory with a program `ps` that waits for a file before it answers. */
  function slowPs(directory: string): string {
    const [bin, go] = [join(directory, "bin"), join(directory, "go")];
    mkdirSync(bin);
    const wait = `case "$*" in *" ${process.pid}") touch ${directory}/waits; while [ ! -e ${go} ]; do sleep 0.02; done;; esac`;
    writeFileSync(join(bin, "ps"), `#!/bin/sh\n${wait}\nPATH="\${PATH#*:}"\nexec ps "$@"\n`, { mode: 0o755 });
    return bin;
  }

  function take(directory: string, path = process.env["PATH"] ?? "") {
    const args = ["--import", "tsx", "--input-type=module", "-e", TAKER, directory];
    const env = { ...process.env, PATH: path };
    const child = spawn(process.execPath, args, { cwd: import.meta.dirname, env, stdio: ["pipe", "pipe", "inherit"] });
    const said = new Promise<string>((resolve) => child.stdout.once("data", (chunk) => resolve(String(chunk))));
    return { said, end: () => child.stdin.end() };
  }

  it("do not both hold it, although both found that its last holder has ended", async () => {
    const directory = mkdtempSync(join(tmpdir(), "sluice-lock-"));
    const work = mkdtempSync(join(tmpdir(), "sluice-lock-ps-"));
    // Of a process that runs, with another start: the slow process has found the file, and asks for the start.
    writeFileSync(join(directory, `sluice-${process.pid}-${START}-${OTHERS}.pid`), "");
    const slow = take(directory, `${slowPs(work)}:${process.env["PATH"] ?? ""}`);
    await expect.poll(() => existsSync(join(work, "waits"))).toBe(true);
    const quick = take(directory);
    const first = await quick.said;
    writeFileSync(join(work, "go"), "");
    expect([first, await slow.said].toSorted()).toEqual(["DirectoryInUse", "held"]);
    for (const { end } of [slow, quick]) end();
    for (const folder of [directory, work]) rmSync(folder, { recursive: true });
  });

  it("are one that holds it, and others that do not", async () => {
    const directory = mkdtempSync(join(tmpdir(), "sluice-lock-"));
    const takers = Array.from({ length: 4 }, () => take(directory));
    const said = await Promise.all(takers.map((taker) => taker.said));
    expect(said.filter((word) => word === "held").length).toBeLessThan(2);
    for (const { end } of takers) end();
    rmSync(directory, { recursive: true });
  });
});
