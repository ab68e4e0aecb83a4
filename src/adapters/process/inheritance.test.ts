import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it } from "vitest";
import { findInheritable, shieldedStdio } from "./inheritance.ts";

it("finds open files that are not closed for a command, and puts nothing in their place", async () => {
  const directory = mkdtempSync(join(tmpdir(), "inheritance-"));
  try {
    const flags = {
      "0": "02",
      "2": "0100001",
      "3": "02000002",
      "7": "0100000",
      "12": "02100000",
      "11": "01",
      "5": "x",
    };
    for (const [name, text] of Object.entries(flags)) {
      writeFileSync(join(directory, name), `pos:\t0\nflags:\t${text}\nmnt_id:\t15\n`);
    }
    expect(await findInheritable(directory)).toEqual([7, 11]);
    expect(await findInheritable(join(directory, "missing"))).toEqual([]);
  } finally {
    rmSync(directory, { recursive: true });
  }
  expect(shieldedStdio([], 9)).toEqual(["pipe", "pipe", "pipe"]);
  expect(shieldedStdio([3, 5], 9)).toEqual(["pipe", "pipe", "pipe", 9, "ignore", 9]);
});
