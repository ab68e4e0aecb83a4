import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { readLimits } from "./limits.ts";

const folder = mkdtempSync(join(tmpdir(), "sluice-limits-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const io = { cwd: folder, readInput: () => Promise.resolve(new Uint8Array()) };

async function read(text: string, flags: { readonly maxOpenRuns?: number } = {}) {
  writeFileSync(join(folder, "limits.yaml"), text);
  return readLimits(io, { limits: "limits.yaml", ...flags });
}

describe("limits of organisations", () => {
  it("are those of the server without a file", async () => {
    expect((await readLimits(io, {}))("acme")).toEqual({
      startsPerMinute: null,
      openRuns: 100_000,
      nodesPerSecond: null,
      storageBytes: null,
      streams: 1_000,
    });
  });

  it("are an organisation's own, else those of all, else those of the server", async () => {
    const limits = await read(
      "default: { starts_per_minute: 600, streams: 50 }\norganisations:\n  acme: { starts_per_minute: null, nodes_per_second: 20 }\n",
    );
    expect(limits("acme")).toMatchObject({ startsPerMinute: null, nodesPerSecond: 20, streams: 50 });
    expect(limits("other")).toMatchObject({ startsPerMinute: 600, nodesPerSecond: null, openRuns: 100_000 });
  });

  it("take open runs from --max-open-runs, where an organisation has no own", async () => {
    const limits = await read("default: { open_runs: 5 }\norganisations:\n  acme: { open_runs: 9 }\n", {
      maxOpenRuns: 7,
    });
    expect([limits("acme").openRuns, limits("other").openRuns]).toEqual([9, 7]);
  });

  it.each([
    ["default: { open_runs: 0 }\n", "default.open_runs must be at least 1, or null for no limit"],
    ["default: { open_runs: 1.5 }\n", "default.open_runs must be a whole number"],
    ["organisations: { acme: { runs: 1 } }\n", 'organisations.acme Unrecognized key: "runs"'],
    ["default: [\n", "limits.yaml"],
  ])("are refused with their place: %j", async (text, message) => {
    await expect(read(text)).rejects.toThrow(message);
  });
});
