import { spawn, spawnSync } from "node:child_process";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { REPOSITORY } from "./law/source.ts";

/** A checkout whose compiler copies sources, whose npm writes what it was asked, and whose program prints its arguments. */
let root = "";

const COMPILER = `
const { cpSync, appendFileSync, existsSync } = require("node:fs");
const out = process.argv[process.argv.indexOf("--outDir") + 1];
if (existsSync("src/broken")) { console.log("src/broken(1,1): error TS1"); process.exit(2); }
appendFileSync("compiled.log", "x");
cpSync("src", out, { recursive: true });
`;
const BUNDLER = `
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
const out = process.argv[process.argv.indexOf("--outDir") + 1];
mkdirSync(out, { recursive: true });
writeFileSync(join(out, "index.html"), "");
`;
const PROGRAM = `export const runProcess = async (args) => { console.log(JSON.stringify(args)); process.exitCode = args.length; };`;
const NPM = `#!/bin/sh
echo "$@" >> npm.log
if [ -f npm-fails ]; then echo "npm error no network" >&2; exit 1; fi
mkdir -p node_modules && touch node_modules/.package-lock.json
`;

function put(path: string, text: string, mode = 0o644): void {
  const file = join(root, path);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text, { mode });
}

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "sluice-checkout-"));
  for (const path of [
    "bin/sluice",
    "bin/package.json",
    "scripts/checkout.mjs",
    "scripts/lock.mjs",
    "scripts/totals.mjs",
  ]) {
    put(path, readFileSync(join(REPOSITORY, path), "utf8"), 0o755);
  }
  put("package.json", '{"type":"module"}');
  put("package-lock.json", "{}");
  utimesSync(join(root, "package-lock.json"), 1_000, 1_000);
  put("src/cli/main.js", PROGRAM);
  put("node_modules/typescript/bin/tsc", COMPILER, 0o755);
  put("node_modules/typescript/package.json", '{"type":"commonjs"}');
  put("node_modules/.package-lock.json", "{}");
  put("fake/npm", NPM, 0o755);
});

afterEach(() => {
  rmSync(root, { recursive: true, force: true });
});

const environment = (): NodeJS.ProcessEnv => ({ ...process.env, PATH: `${join(root, "fake")}:${process.env["PATH"]}` });

function start(args: readonly string[], program = join(root, "bin", "sluice"), cwd = tmpdir()) {
  const result = spawnSync(program, args, { cwd, encoding: "utf8", env: environment() });
  return { code: result.status, out: result.stdout, stderr: result.stderr };
}

const compiled = (): number => readFileSync(join(root, "compiled.log"), "utf8").length;

describe("bin/sluice", () => {
  it("builds what is missing, passes arguments and exit code through, and is silent the second time", () => {
    expect(start(["a", "b"])).toEqual({ code: 2, out: '["a","b"]\n', stderr: "sluice: building, once\n" });
    expect(start([])).toEqual({ code: 0, out: "[]\n", stderr: "" });
    expect(compiled()).toBe(1);
  });

  it("works through a symbolic link", () => {
    const link = join(root, "linked");
    symlinkSync(join(root, "bin", "sluice"), link);
    expect(start(["x"], link)).toMatchObject({ code: 1, out: '["x"]\n' });
  });

  it("builds again when a source is added, changed or removed, and not for a test", () => {
    start([]);
    put("src/cli/other.js", "1");
    expect(start([]).stderr).toContain("building");
    expect(existsSync(join(root, "dist/cli/other.js"))).toBe(true);
    put("src/cli/other.js", "22");
    expect(start([]).stderr).toContain("building");
    rmSync(join(root, "src/cli/other.js"));
    expect(start([]).stderr).toContain("building");
    expect(existsSync(join(root, "dist/cli/other.js"))).toBe(false);
    put("src/cli/main.test.ts", "");
    expect(start([]).stderr).toBe("");
  });

  it("builds the console where there is one, and each half only for changes of its own", () => {
    put("src/console/main.tsx", "page");
    put("src/core/x.js", "1");
    put("node_modules/vite/bin/vite.js", BUNDLER);
    expect(start([]).stderr).toBe("sluice: building, once\nsluice: building the console, once\n");
    expect(existsSync(join(root, "dist/console/index.html"))).toBe(true);
    expect(start([]).stderr).toBe("");
    put("src/console/main.tsx", "another page");
    expect(start([]).stderr).toBe("sluice: building the console, once\n");
    put("src/cli/other.js", "1");
    expect(start([]).stderr).toBe("sluice: building, once\n");
    put("src/core/x.js", "22");
    expect(start([]).stderr).toBe("sluice: building, once\nsluice: building the console, once\n");
    expect(existsSync(join(root, "dist/cli/main.js"))).toBe(true);
    expect(existsSync(join(root, "dist/console/index.html"))).toBe(true);
  });

  it("prints what does not compile, keeps the old build, and cleans up", () => {
    start([]);
    put("src/broken", "");
    const { code, stderr } = start([]);
    expect(code).toBe(2);
    expect(stderr).toContain("src/broken(1,1): error TS1");
    expect(stderr).toContain("sluice: the sources do not compile");
    expect(existsSync(join(root, "dist/cli/main.js"))).toBe(true);
    expect(existsSync(join(root, ".prepare.lock"))).toBe(false);
    rmSync(join(root, "src/broken"));
    expect(start([]).code).toBe(0);
  });

  it("installs when packages are missing or older than the lock file", () => {
    rmSync(join(root, "node_modules/.package-lock.json"));
    expect(start([]).stderr).toContain("installing packages");
    expect(readFileSync(join(root, "npm.log"), "utf8")).toMatch(/^install --no-save --ignore-scripts --include=dev /);
    expect(start([]).stderr).toBe("");
    utimesSync(join(root, "package-lock.json"), new Date(), new Date(Date.now() + 60_000));
    expect(start([]).stderr).toContain("installing packages");
  });

  it("starts what is built where there are no sources, as in a package, and installs nothing", () => {
    start([]);
    rmSync(join(root, "src"), { recursive: true });
    rmSync(join(root, "node_modules"), { recursive: true });
    expect(start(["a"])).toMatchObject({ code: 1, out: '["a"]\n', stderr: "" });
  });

  it("prints in one line why it could not install", () => {
    rmSync(join(root, "node_modules/.package-lock.json"));
    put("npm-fails", "");
    const { code, stderr } = start([]);
    expect(code).toBe(2);
    expect(stderr).toContain("npm error no network");
    expect(stderr.trimEnd().split("\n").at(-1)).toMatch(/^sluice: npm install failed with code 1; /);
  });

  it("breaks the lock of a process that is gone", () => {
    const gone = spawnSync(process.execPath, ["-e", ""]).pid;
    put(".prepare.lock", String(gone));
    expect(start(["x"])).toMatchObject({ code: 1, stderr: "sluice: building, once\n" });
  });

  it("builds once when several start together", async () => {
    const run = (): Promise<number | null> =>
      new Promise((resolve, reject) => {
        const child = spawn(join(root, "bin", "sluice"), ["x"], { stdio: "ignore", env: environment() });
        child.on("error", reject);
        child.on("exit", resolve);
      });
    expect(await Promise.all([run(), run(), run()])).toEqual([1, 1, 1]);
    expect(compiled()).toBe(1);
  });
});

describe("the last line of .ci/run", () => {
  const totals = (report: object | null, ...args: readonly string[]): [string, number | null] => {
    if (report !== null) put("test-results/vitest.json", JSON.stringify(report));
    const result = spawnSync(process.execPath, [join(root, "scripts/totals.mjs"), ...args], { encoding: "utf8" });
    return [result.stdout, result.status];
  };
  const report = (fields: object = {}): object => ({
    numPassedTests: 7,
    numFailedTests: 0,
    numPendingTests: 0,
    numTodoTests: 0,
    success: true,
    testResults: [],
    ...fields,
  });

  it("counts what passed and what failed", () => {
    expect(totals(report())).toEqual(["7 passed, 0 failed\n", 0]);
    expect(totals(report({ numFailedTests: 2, success: false }), "0", "1")).toEqual(["7 passed, 2 failed\n", 1]);
  });

  it("counts as failed what is no test: checks, files that did not load, tests left out, a bad end, no report", () => {
    const unloaded = { testResults: [{ status: "failed", assertionResults: [] }], success: false };
    expect(totals(null)).toEqual(["0 passed, 1 failed\n", 1]);
    expect(totals(report(), "1", "0")).toEqual(["7 passed, 1 failed\n", 1]);
    expect(totals(report(unloaded), "0", "1")).toEqual(["7 passed, 1 failed\n", 1]);
    expect(totals(report({ numPendingTests: 1, numTodoTests: 1 }))).toEqual(["7 passed, 2 failed\n", 1]);
    expect(totals(report(), "0", "1")).toEqual(["7 passed, 1 failed\n", 1]);
  });
});
