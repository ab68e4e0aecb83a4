import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { open, type FileHandle } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, expect, it, vi } from "vitest";
import { ArchivePlaces } from "./archive-place.ts";

const clean: (() => void)[] = [];
afterEach(() => {
  vi.restoreAllMocks();
  for (const work of clean.splice(0)) work();
});

it("a packet in a folder is written through to the disk, with its name and the new folders above it", async () => {
  const root = mkdtempSync(join(tmpdir(), "archives-"));
  clean.push(() => rmSync(root, { recursive: true, force: true }));
  const source = join(root, "source");
  writeFileSync(source, "the packet");
  const handle = await open(source);
  const prototype = Object.getPrototypeOf(handle) as FileHandle;
  await handle.close();
  const [data, folders] = [vi.spyOn(prototype, "datasync"), vi.spyOn(prototype, "sync")];
  const place = new ArchivePlaces({ root, isAnywhere: false, bucket: null }).find("old/packets");
  await place.put("run_1.gz", source);
  expect(readFileSync(join(root, "old", "packets", "run_1.gz"), "utf8")).toBe("the packet");
  expect([data.mock.calls.length, folders.mock.calls.length]).toEqual([1, 3]);
  await place.put("run_2.gz", source);
  expect([data.mock.calls.length, folders.mock.calls.length]).toEqual([2, 4]);
});
