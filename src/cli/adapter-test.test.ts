import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createVirtualClock } from "../clock/index.ts";
import { testAdapter, type AdapterTestOptions } from "./adapter-test.ts";
import type { Io, Screen } from "./io.ts";

const ECHO = `{
  specificationVersion: "v1",
  provider: "echo",
  async initialize(config) { if (config.key !== "open") throw new Error("The key does not fit."); },
  async shutdown() {},
  async cancel() {},
  async checkHealth() { return { status: "healthy", message: "\\u001b[31mfine" }; },
  capabilities: () => ({ streaming: false, structuredOutput: false, tools: false, deferred: false }),
  async execute({ message }, { signal }) {
    if (signal.aborted) return { status: "failed", failure: "cancelled", message: "stopped" };
    return { status: "completed", stdout: message };
  },
}`;

const FILES = {
  "default.mjs": `export default ${ECHO};`,
  "named.mjs": `export const adapter = ${ECHO}; export const sample = { message: "hello" };`,
  "made.mjs": `export function createAdapter({ env }) { return { ...${ECHO}, provider: env.NAME }; }`,
  "empty.mjs": "export const nothing = 1;",
  "throws.mjs": 'throw new Error("on\\nload");',
  "maker-throws.mjs": 'export function createAdapter() { throw new Error("no luck"); }',
  "broken.mjs": "export const = 1;",
  "config.yaml": "key: open\n",
  "wrong.yaml": "key: shut\n",
  "list.yaml": "[1]\n",
};

const folder = mkdtempSync(join(tmpdir(), "sluice-adapter-test-"));
beforeAll(() => {
  for (const [name, text] of Object.entries(FILES)) writeFileSync(join(folder, name), text);
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

async function run(file: string, options: AdapterTestOptions = {}) {
  let out = "";
  const screen: Screen = {
    isTty: false,
    size: () => ({ columns: 80, rows: 24 }),
    write: (text) => void (out += text),
  };
  const io: Io = {
    out: screen,
    err: screen,
    cwd: folder,
    env: { NAME: "made" },
    clock: createVirtualClock(0),
    isInputTty: false,
    readInput: () => Promise.resolve(new Uint8Array()),
    readLine: () => Promise.resolve(null),
    onInterrupt: () => () => undefined,
    exitNow: () => undefined,
  };
  return { code: await testAdapter(io, file, options), out };
}

describe("sluice adapter test", () => {
  it.each([
    ["default.mjs", "echo"],
    ["named.mjs", "echo"],
    ["made.mjs", "made"],
  ])("finds the adapter in %s", async (file, provider) => {
    const { code, out } = await run(file, { config: "config.yaml" });
    expect(code).toBe(0);
    expect(out).toMatch(new RegExp(`^${provider} conforms: \\d+ checks passed, 0 failed, \\d not applicable$`, "m"));
    expect(out).toMatch(/^✓ {2}specification version +v1$/m);
    expect(out).toMatch(/^– {2}usage +The result reports no usage\.$/m);
    expect(out).not.toContain("\u001b");
  });

  it("reports what is broken, and ends with 1", async () => {
    const { code, out } = await run("default.mjs", { config: "wrong.yaml" });
    expect(code).toBe(1);
    expect(out).toMatch(/^✗ {2}initialize +initialize rejected: The key does not fit\.$/m);
    expect(out).toMatch(/^echo does not conform: .* 1 failed/m);
  });

  it("prints the report as JSON", async () => {
    const { out } = await run("named.mjs", { config: "config.yaml", json: true });
    expect(JSON.parse(out)).toMatchObject({ provider: "echo", ok: true });
  });

  it.each([
    ["absent.mjs", {}, /^cannot load absent\.mjs: .*absent\.mjs/],
    ["throws.mjs", {}, /^cannot load throws\.mjs: on load$/],
    ["broken.mjs", {}, /^cannot load broken\.mjs: /],
    ["empty.mjs", {}, /^empty\.mjs exports no adapter: export one as default or "adapter"/],
    ["maker-throws.mjs", {}, /^the function exported by maker-throws\.mjs returned no adapter: no luck$/],
    ["default.mjs", { config: "list.yaml" }, /list\.yaml must be a map/],
    ["default.mjs", { config: "absent.yaml" }, /cannot read absent\.yaml: there is no such file/],
  ])("refuses %s with one line", async (file, options, message) => {
    await expect(run(file, options)).rejects.toMatchObject({
      name: "Refusal",
      exitCode: 2,
      message: expect.stringMatching(message) as string,
    });
  });
});
