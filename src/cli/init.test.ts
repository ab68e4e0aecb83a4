import {
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { readScript } from "../adapters/index.ts";
import { createVirtualClock } from "../clock/index.ts";
import { jsonSchema } from "../core/definition/index.ts";
import { loadBridgeConfig } from "./bridge-config.ts";
import type { Io, Screen } from "./io.ts";
import { main } from "./command-line.ts";
import { firstCommands, starterFiles, TEMPLATES } from "./starter/files.ts";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "sluice-init-"));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

function screenTo(lines: string[]): Screen {
  return { isTty: false, size: () => ({ columns: 80, rows: 24 }), write: (text) => void lines.push(text) };
}

async function sluice(argv: readonly string[], cwd = folder): Promise<{ code: number; out: string; err: string }> {
  const clock = createVirtualClock(Date.UTC(2026, 0, 1));
  const out: string[] = [];
  const err: string[] = [];
  const ended: { code: number | null } = { code: null };
  const io: Io = {
    out: screenTo(out),
    err: screenTo(err),
    cwd,
    env: {},
    clock,
    isInputTty: false,
    readInput: async () => new Uint8Array(),
    readLine: async () => null,
    onInterrupt: () => () => undefined,
    exitNow: (code) => {
      ended.code = code;
    },
  };
  void main(argv, io).then((code) => {
    ended.code ??= code;
  });
  do await clock.run(() => ended.code !== null);
  while (ended.code === null);
  return { code: ended.code, out: out.join(""), err: err.join("") };
}

/** The words of a command line in a README. */
function wordsOf(line: string): string[] {
  const words = [...line.matchAll(/"([^"]*)"|(\S+?)="([^"]*)"|(\S+)/g)];
  return words.map(([, quoted, name, value, plain]) => quoted ?? plain ?? `${name}=${value}`).slice(1);
}

const everything = (): string[] =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(folder.length + 1))
    .sort();

describe.each(TEMPLATES)("sluice init --template %s", (template) => {
  it("writes a project whose own commands all work", async () => {
    const { code, out, err } = await sluice(["init", ".", "--template", template]);
    expect(code).toBe(0);
    const files = starterFiles(template).map(({ path }) => path);
    expect(out.trim().split("\n")).toEqual(files);
    expect(everything()).toEqual([...files].sort());
    const readme = readFileSync(join(folder, "README.md"), "utf8");
    const [validate = "", simulate = "", run = "", up = ""] = firstCommands(template);
    for (const command of [validate, simulate, run, up]) {
      expect(readme).toContain(`\n${command}\n`);
      expect(err).toContain(`  ${command}\n`);
    }
    expect(await sluice(wordsOf(validate))).toMatchObject({ code: 0, err: expect.not.stringContaining("warning") });
    const planned = await sluice(["plan", wordsOf(validate)[1] ?? ""]);
    expect(planned.code).toBe(0);
    const simulated = await sluice([...wordsOf(simulate), "--json"]);
    expect([simulated.code, simulated.err]).toEqual([0, ""]);
    expect(JSON.parse(simulated.out)).toMatchObject({ status: "completed" });
    const ran = await sluice([...wordsOf(run), "--json"]);
    expect([ran.code, ran.err]).toEqual([0, "in this process, on scripted answers; no server is known\n"]);
    expect(JSON.parse(ran.out.trim().split("\n").at(-1) ?? "")).toMatchObject({ status: "completed" });
  });

  it("gives editors the schema that `sluice schema` prints", async () => {
    await sluice(["init", ".", "--template", template]);
    const [workflow, schema] = [/^workflows\/[^.]+\.(?:lobsterX|yaml)$/, /^schemas\//].map(
      (pattern) => everything().find((path) => pattern.test(path)) ?? "",
    );
    const [header = ""] = readFileSync(join(folder, workflow ?? ""), "utf8").split("\n");
    const [, named = ""] = /^# yaml-language-server: \$schema=(\S+)$/.exec(header) ?? [];
    expect(join("workflows", named)).toBe(schema);
    const format = schema?.includes("lens") === true ? "lens-graph" : "lobsterx";
    expect(JSON.parse(readFileSync(join(folder, schema ?? ""), "utf8"))).toEqual(jsonSchema(format));
    expect(readFileSync(join(folder, schema ?? ""), "utf8")).toBe((await sluice(["schema", format])).out);
  });

  it("writes a script and a configuration without a problem, also when its marks are removed", async () => {
    await sluice(["init", ".", "--template", template]);
    const script = everything().find((path) => path.endsWith(".script.yaml")) ?? "";
    expect(readScript(readFileSync(join(folder, script), "utf8")).problems).toEqual([]);
    const err: string[] = [];
    const io = { cwd: folder, env: {}, err: screenTo(err), out: screenTo(err) } as unknown as Io;
    expect(await loadBridgeConfig(io, "bridge.yaml")).toMatchObject({ sections: {}, defaultProvider: null });
    const sample = readFileSync(join(folder, "bridge.yaml"), "utf8");
    const opened = sample.replace("adapters: {}\n", "").replaceAll(/^#(?! [A-Z])/gm, "");
    writeFileSync(join(folder, "bridge.yaml"), opened);
    expect(await loadBridgeConfig(io, "bridge.yaml")).toMatchObject({
      defaultProvider: "openai",
      sections: { "ai-sdk": {}, process: {}, http: {} },
    });
    expect(err).toEqual([]);
  });
});

describe("sluice init", () => {
  it("makes the folder it is given, and prints to go there", async () => {
    const { code, err } = await sluice(["init", "a/new one", "--yaml"]);
    expect(code).toBe(0);
    expect(err).toContain("  cd a/new one\n");
    expect(everything()).toContain("a/new one/README.md");
  });

  it("takes a folder that holds nothing but its repository", async () => {
    mkdirSync(join(folder, ".git"));
    expect((await sluice(["init", "--yaml"])).code).toBe(0);
  });

  it("refuses a folder that is not empty, and changes nothing in it", async () => {
    writeFileSync(join(folder, "mine.txt"), "mine");
    const { code, err } = await sluice(["init", "--yaml"]);
    expect([code, err]).toEqual([2, expect.stringContaining("add --force")]);
    expect(everything()).toEqual(["mine.txt"]);
    const file = await sluice(["init", "mine.txt"]);
    expect([file.code, file.err]).toEqual([2, expect.stringContaining("is a file")]);
  });

  it("with --force writes what is missing, and never over or through what is there", async () => {
    writeFileSync(join(folder, "README.md"), "mine");
    const outside = join(folder, "outside.txt");
    symlinkSync(outside, join(folder, "bridge.yaml"));
    const { code, err } = await sluice(["init", "--yaml", "--force", "--quiet"]);
    expect(code).toBe(0);
    expect(err).toBe(
      "sluice: README.md already exists and was not changed\nsluice: bridge.yaml already exists and was not changed\n",
    );
    expect(readFileSync(join(folder, "README.md"), "utf8")).toBe("mine");
    expect(lstatSync(join(folder, "bridge.yaml")).isSymbolicLink()).toBe(true);
    expect(everything()).not.toContain("outside.txt");
    expect(everything()).toContain("workflows/hello.lobsterX");
    expect((await sluice(["init", "--yaml", "--force", "--quiet"])).code).toBe(0);
  });

  it("knows its templates", async () => {
    const { code, err } = await sluice(["init", "--template", "huge"]);
    expect(code).toBe(2);
    for (const template of TEMPLATES) expect(err).toContain(template);
    expect(everything()).toEqual([]);
  });
});
