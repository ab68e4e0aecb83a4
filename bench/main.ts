/**
 * `npm run bench [-- --quick] [--no-peers] [--json] [--save]`, or `-- --million N` for lists of many runs, or `-- --size N` for what
 * runs leave on the disk, or `-- --nodes [RUNS]` for the processor time of a node, or `-- --idle [RUNS] [ORGANISATIONS]` for what doing
 * nothing costs, or `-- --tenants [SECONDS]`, `-- --memory [MINUTES]`, `-- --cells [SECONDS]` for a quiet organisation beside a flood, for
 * memory over a day of activity, for 1, 2 and 4 cells: what the engine, the runtime and the database under it can do, as
 * ratios within one run. What is measured runs as compiled JavaScript, the way it runs in production: this file
 * compiles itself and everything it needs, and starts the result.
 */
import { spawnSync } from "node:child_process";
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { BENCH_WORKER } from "./workers.ts";
import { CLIENTS, type ClientsPlan } from "./stream-clients.ts";

const root = dirname(dirname(fileURLToPath(import.meta.url)));
// Beside the packages, so that the compiled files find them.
const out = join(root, "node_modules", ".cache", "sluice-bench");

/** As the image has it; every process of the benchmark, peers included, is started with the same. */
const NODE_FLAGS = ["--max-semi-space-size=64"];

function run(args: readonly string[]): number {
  return spawnSync(process.execPath, args, { cwd: root, stdio: "inherit" }).status ?? 1;
}

function compile(): number {
  const tsconfig = join(out, "tsconfig.json");
  rmSync(out, { recursive: true, force: true });
  mkdirSync(out, { recursive: true });
  writeFileSync(join(out, "package.json"), JSON.stringify({ type: "module" }));
  const compilerOptions = {
    noEmit: false,
    allowImportingTsExtensions: false,
    rootDir: root,
    outDir: out,
    typeRoots: [join(root, "node_modules", "@types")],
  };
  const files = [join(root, "bench", "main.ts")];
  writeFileSync(
    tsconfig,
    JSON.stringify({ extends: join(root, "tsconfig.json"), compilerOptions, include: [], files }),
  );
  return run([join(root, "node_modules", "typescript", "bin", "tsc"), "-p", tsconfig]);
}

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}

/** What is measured alone, by its flag, with the numbers that follow the flag. */
const ALONE: Readonly<Record<string, (checkout: string, numbers: readonly number[]) => Promise<void>>> = {
  "--idle": async (checkout, [runs = 100_000, organisations = 1_000]) =>
    (await import("./idle.ts")).measureIdle(checkout, { runs, organisations }, print),
  "--cells": async (checkout, [seconds = 60]) => (await import("./cells.ts")).measureCells(checkout, seconds, print),
  "--million": async (_, [runs = 1_000_000]) => (await import("./million.ts")).measureMillion(runs),
  "--size": async (_, [runs = 2_000]) => (await import("./size.ts")).measureSize(runs),
  "--nodes": async (checkout, [runs = 2_000]) => (await import("./nodes.ts")).measureNodes(checkout, runs, print),
  "--tenants": async (checkout, [seconds = 30]) =>
    (await import("./tenants.ts")).measureTenants(checkout, seconds, print),
  "--memory": async (checkout, [minutes = 20]) => (await import("./memory.ts")).measureMemory(checkout, minutes, print),
};

const [first = "", second = "", third = ""] = process.argv.slice(2);
if (first === CLIENTS) {
  const { followAll } = await import("./stream-clients.ts");
  await followAll(JSON.parse(second) as ClientsPlan, (line) => process.stdout.write(`${JSON.stringify(line)}\n`));
} else if (first === BENCH_WORKER) {
  const { runBenchWorker } = await import("./workers.ts");
  await runBenchWorker(second, third);
} else if (import.meta.url.endsWith(".js")) {
  const [checkout = ".", ...flags] = process.argv.slice(2);
  const at = flags.findIndex((flag) => Object.hasOwn(ALONE, flag));
  const alone = ALONE[flags[at] ?? ""];
  if (alone === undefined) {
    const { measure } = await import("./measure.ts");
    await measure(checkout, flags);
  } else {
    const after = flags.slice(at + 1).map(Number);
    const end = after.findIndex((number) => !Number.isFinite(number));
    await alone(checkout, end < 0 ? after : after.slice(0, end));
  }
} else {
  process.stderr.write("compiling\n");
  process.exitCode = compile() || run([...NODE_FLAGS, join(out, "bench", "main.js"), root, ...process.argv.slice(2)]);
}
