/**
 * `npm run bench [-- --quick] [--no-peers] [--json] [--save]`, or `-- --million N` for lists of many runs: what the engine, the runtime and the database under it can do, as
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

const [first = "", second = "", third = ""] = process.argv.slice(2);
if (first === CLIENTS) {
  const { followAll } = await import("./stream-clients.ts");
  await followAll(JSON.parse(second) as ClientsPlan, (line) => process.stdout.write(`${JSON.stringify(line)}\n`));
} else if (first === BENCH_WORKER) {
  const { runBenchWorker } = await import("./workers.ts");
  await runBenchWorker(second, third);
} else if (import.meta.url.endsWith(".js")) {
  const [checkout = ".", ...flags] = process.argv.slice(2);
  const million = flags.indexOf("--million");
  if (million >= 0) {
    const { measureMillion } = await import("./million.ts");
    await measureMillion(Number(flags[million + 1] ?? 1_000_000));
  } else {
    const { measure } = await import("./measure.ts");
    await measure(checkout, flags);
  }
} else {
  process.stderr.write("compiling\n");
  process.exitCode = compile() || run([...NODE_FLAGS, join(out, "bench", "main.js"), root, ...process.argv.slice(2)]);
}
