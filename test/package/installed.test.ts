import { spawn, spawnSync } from "node:child_process";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { REPOSITORY } from "../law/source.ts";
import { DevProcess } from "./dev-process.ts";
import { type LocalRegistry, openLocalRegistry } from "./local-registry.ts";

const MINUTES = 60_000;
const MEGABYTE = 1_000_000;
/** Unpacked, with the seed of the embedded database. */
const PACKAGE_BYTES_MAX = 14 * MEGABYTE;

/** What a user of the package writes: each export, and a type of it that has to hold. */
const IMPORTS = `
import { SluiceClient } from "sluice";
import { ApiError, reduceRun, type Run } from "sluice/client";
import { type Adapter, runTurn } from "sluice/adapter";
import { cases, checkAdapter } from "sluice/testing";
import { readWorkflow, runInBrowser } from "sluice/browser";
import { agent, workflow } from "sluice/workflow";
import { createWorker, step } from "sluice/worker";
import { z } from "zod";

const client = new SluiceClient({ url: "http://127.0.0.1:1" });
export const run = (): Promise<Run> => client.startRun({ workflow: "hello" });
// @ts-expect-error -- a run has no such field
export const wrong = async (): Promise<number> => (await run()).colour;
export const adapter: Adapter | null = null;

const short = workflow("short", { args: z.object({ topic: z.string() }) }, ({ args }) => {
  const { text } = agent("write", { command: \`About \${args.topic}\`, outputs: z.object({ text: z.string() }) });
  return { text };
});
export const typed = async (): Promise<string> => (await client.run(short, { topic: "tides" })).text;
// @ts-expect-error -- the topic is a text
export const wrongArg = () => client.run(short, { topic: 1 });
const twice = step({ input: z.object({ n: z.int() }), output: z.object({ n: z.int() }), run: ({ n }) => ({ n: 2 * n }) });
export const worker = createWorker({ url: "http://127.0.0.1:1", key: "slk_x", functions: { twice } });
export const tested = cases(short, [{ name: "one", args: { topic: "tides" } }]);
const all = [ApiError, reduceRun, runTurn, checkAdapter, readWorkflow, runInBrowser, worker.run];
console.log(all.map((one) => typeof one).join(), short.name, JSON.stringify(short.definition).length > 100);
`;

describe("the package, installed into an empty folder", () => {
  let registry: LocalRegistry;
  let home = "";
  let tarball = "";
  let files: readonly { readonly path: string; readonly size: number }[] = [];
  const full = (): string => join(home, "full");

  beforeAll(async () => {
    home = mkdtempSync(join(tmpdir(), "sluice-package-"));
    registry = await openLocalRegistry();
    const { stdout } = must("npm", ["pack", "--json", "--loglevel=error", "--pack-destination", home], REPOSITORY);
    // What the build prints comes before.
    const [packed] = JSON.parse(stdout.slice(stdout.indexOf("[\n"))) as {
      readonly filename: string;
      readonly files: typeof files;
    }[];
    tarball = join(home, packed?.filename ?? "");
    files = packed?.files ?? [];
    await install(full(), []);
  }, 20 * MINUTES);

  afterAll(async () => {
    await registry.close();
    rmSync(home, { recursive: true, force: true });
  }, 5 * MINUTES);

  /** Asynchronous: the registry that npm asks is in this process. */
  function install(folder: string, flags: readonly string[]): Promise<void> {
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, "package.json"), '{"name":"mine","private":true,"type":"module"}');
    return npmInstall(folder, [tarball, ...flags]);
  }

  function npmInstall(folder: string, flags: readonly string[]): Promise<void> {
    const offline = ["--registry", registry.url, "--cache", join(home, "cache"), "--no-audit", "--no-fund"];
    const args = ["install", ...offline, "--loglevel=error", ...flags];
    return new Promise((resolve, reject) => {
      const child = spawn("npm", args, { cwd: folder, stdio: "inherit" });
      child.once("exit", (code) => (code === 0 ? resolve() : reject(new Error(`npm install ended with ${code}`))));
    });
  }

  const sluice = (folder: string, ...args: readonly string[]) =>
    spawnSync(join(folder, "node_modules", ".bin", "sluice"), args, { cwd: folder, encoding: "utf8" });

  it("holds the program, its pages, declarations, schemas and seed, and no test or source", () => {
    const paths = files.map(({ path }) => path);
    for (const wanted of [
      "LICENSE",
      "README.md",
      "CHANGELOG.md",
      "dist/cli/main.js",
      "dist/client/index.d.ts",
      "dist/console/index.html",
      "dist/schemas/lobsterx.json",
      "dist/schemas/openapi.json",
    ]) {
      expect(paths).toContain(wanted);
    }
    expect(paths.filter((path) => path.startsWith("dist/seed/"))).toHaveLength(1);
    const foreign = /\.test\.|\.tsx?$|^(?:src|test|scripts|bench|bin|examples)\/|(?:^|\/)\.(?!d\.ts)/;
    expect(paths.filter((path) => foreign.test(path) && !path.endsWith(".d.ts"))).toEqual([]);
    expect(files.reduce((sum, { size }) => sum + size, 0)).toBeLessThanOrEqual(PACKAGE_BYTES_MAX);
  });

  it.each([
    ["node16", "node16"],
    ["bundler", "esnext"],
  ])("compiles under strict with the module resolution %s, also its declarations", (moduleResolution, module) => {
    writeFileSync(join(full(), "mine.ts"), IMPORTS);
    const options = { strict: true, module, moduleResolution, target: "es2022", lib: ["es2023", "dom"], types: [] };
    const config = { compilerOptions: { ...options, noEmit: true }, files: ["mine.ts"] };
    writeFileSync(join(full(), "tsconfig.json"), JSON.stringify(config));
    expect(compile(full())).toBe("");
  });

  it("gives every import to Node", () => {
    const script = IMPORTS.replaceAll(/: (?:Promise<\w+>|Adapter \| null)|, type \w+|type \w+, /g, "");
    writeFileSync(join(full(), "mine.mjs"), script);
    const result = spawnSync(process.execPath, ["--no-warnings", "mine.mjs"], { cwd: full(), encoding: "utf8" });
    expect(result.stderr).toBe("");
    expect(result.stdout).toBe(`${Array(7).fill("function").join()} short true\n`);
  });

  it(
    "starts, runs a workflow and names its version",
    async () => {
      const { version } = JSON.parse(readFileSync(join(REPOSITORY, "package.json"), "utf8")) as { version: string };
      expect(sluice(full(), "--version").stdout).toBe(`${version}\n`);
      const began = performance.now();
      const server = await startUp(full());
      try {
        print(`ready ${Math.round(performance.now() - began)} ms after the first start; ${sizes(full())}`);
        const health = (await (await fetch(`${server.url}/healthz`)).json()) as { readonly version: string };
        expect(health.version).toBe(version);
        const page = await fetch(server.consoleUrl);
        expect(page.status).toBe(200);
        const ran = sluice(full(), "run", "demo-hello", "--arg", "name=Ada", "--json");
        expect(ran.stderr + ran.stdout).toContain('"completed"');
        expect(ran.status).toBe(0);
      } finally {
        await server.stop();
      }
    },
    5 * MINUTES,
  );

  it(
    "can be installed without what is optional, and says then what is missing",
    async () => {
      const lean = join(home, "lean");
      await install(lean, ["--omit=optional"]);
      print(`without optional packages ${sizes(lean)}`);
      expect(sluice(lean, "--version").status).toBe(0);
      expect(existsSync(join(lean, "node_modules", "@electric-sql"))).toBe(false);
      const up = sluice(lean, "up", "--port", "0");
      expect(up.status).toBe(2);
      expect(up.stderr).toContain("npm install @electric-sql/pglite, or give a Postgres database with --database-url");
      const mcp = sluice(lean, "mcp", "--url", "http://127.0.0.1:1", "--key", "slk_x");
      expect(mcp.stderr).toContain("npm install @modelcontextprotocol/server");
      expect(mcp.status).toBe(2);
    },
    10 * MINUTES,
  );

  it(
    "makes a project that is installed, compiled, tested, and run with a function by `sluice dev`",
    async () => {
      expect(sluice(full(), "init", "my-flows").status).toBe(0);
      const project = join(full(), "my-flows");
      // What only checks a project is of the checkout here.
      await npmInstall(project, ["--omit=dev"]);
      mkdirSync(join(project, "node_modules", "@types"), { recursive: true });
      symlinkSync(join(REPOSITORY, "node_modules", "@types", "node"), join(project, "node_modules", "@types", "node"));
      expect(compile(project)).toBe("");
      const tested = sluice(project, "test", "--coverage");
      expect([tested.status, tested.stdout]).toEqual([0, expect.stringContaining("2 cases, 2 passed")]);

      const dev = new DevProcess(project);
      try {
        await dev.printed(/ready as \S+: count-words/);
        await dev.printed(/Workflow hello created/);
        const ran = sluice(project, "run", "hello", "--arg", "topic=tides", "--detach");
        expect(ran.stderr).toBe("");
        const runId = ran.stdout.trim();
        const asked = (): string => /apr_\S+/.exec(sluice(project, "approvals", "list").stdout)?.[0] ?? "";
        await expect.poll(asked, { timeout: MINUTES }).not.toBe("");
        expect(sluice(project, "approvals", "approve", asked()).status).toBe(0);
        const followed = sluice(project, "runs", "watch", runId, "--json");
        expect(followed.stdout).toMatch(/"words":\d+/);

        const code = join(project, "worker.ts");
        writeFileSync(
          code,
          readFileSync(code, "utf8").replace("words: z.number().int()", "words: z.number().int().min(1)"),
        );
        await dev.printed(/ready as .*ready as /s);
        const file = join(project, "workflows", "hello.workflow.ts");
        writeFileSync(file, readFileSync(file, "utf8").replace("one sentence", "two sentences"));
        await dev.printed(/Workflow hello updated/);
        writeFileSync(file, readFileSync(file, "utf8").replace("sentence.text }", "sentence.txt }"));
        await dev.printed(/hello\.workflow\.ts:\d+:\d+/);
        writeFileSync(file, readFileSync(file, "utf8").replace("sentence.txt }", "sentence.text }"));
        await dev.printed(/was not changed.*Workflow hello unchanged/s);
      } finally {
        expect(await dev.stop()).toBe(0);
      }
    },
    10 * MINUTES,
  );

  interface Up {
    readonly url: string;
    readonly consoleUrl: string;
    stop(): Promise<void>;
  }

  function startUp(folder: string): Promise<Up> {
    const program = join(folder, "node_modules", ".bin", "sluice");
    const child = spawn(program, ["up", "--port", "0", "--json"], {
      cwd: folder,
      stdio: ["ignore", "pipe", "inherit"],
    });
    const ended = new Promise<void>((resolve) => child.once("exit", () => resolve()));
    const stop = (): Promise<void> => {
      child.kill("SIGTERM");
      return ended;
    };
    return new Promise((resolve, reject) => {
      child.once("exit", (code) => reject(new Error(`sluice up ended with ${code}`)));
      child.stdout.once("data", (line: Buffer) => resolve({ ...(JSON.parse(line.toString()) as Up), stop }));
    });
  }
});

/** What the compiler of the checkout says about a project. */
function compile(folder: string): string {
  const compiler = join(REPOSITORY, "node_modules", "typescript", "bin", "tsc");
  return spawnSync(process.execPath, [compiler, "-p", "."], { cwd: folder, encoding: "utf8" }).stdout;
}

function must(command: string, args: readonly string[], cwd: string): { readonly stdout: string } {
  const result = spawnSync(command, args, { cwd, encoding: "utf8", maxBuffer: 64 * MEGABYTE });
  if (result.status !== 0) throw new Error(`${command} ${args.join(" ")}: ${result.stderr}`);
  return result;
}

function print(text: string): void {
  process.stdout.write(`package: ${text}\n`);
}

/** Of everything npm installed, the largest first. */
function sizes(folder: string): string {
  const modules = join(folder, "node_modules");
  const names = readdirSync(modules).filter((name) => !name.startsWith("."));
  const each = names.map((name) => [name, bytesUnder(join(modules, name))] as const);
  const largest = each.toSorted((left, right) => right[1] - left[1]).slice(0, 6);
  const total = each.reduce((sum, [, bytes]) => sum + bytes, 0);
  const inMegabytes = (bytes: number): string => `${(bytes / MEGABYTE).toFixed(1)} MB`;
  return `installed ${inMegabytes(total)}: ${largest.map(([name, bytes]) => `${name} ${inMegabytes(bytes)}`).join(", ")}`;
}

function bytesUnder(directory: string): number {
  const entries = readdirSync(directory, { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => entry.isFile())
    .reduce((sum, entry) => sum + statSync(join(entry.parentPath, entry.name)).size, 0);
}
