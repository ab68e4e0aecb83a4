/**
 * `npm run faults`: plants one fault after another in the driver, and runs the test file that has to fail. A fault that
 * no test notices is a rule without a test.
 */
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { createVitest, type Vitest } from "vitest/node";
import { DRIVER_FAULTS, type Fault } from "./faults.ts";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));
const pathOf = (file: string): string => `${ROOT}src/driver/${file}`;

let planted: Fault | null = null;

const planting = {
  name: "planted-fault",
  enforce: "pre",
  transform(code: string, id: string): string | null {
    if (planted === null || id !== pathOf(planted.file)) return null;
    return code.replace(planted.right, () => planted?.wrong ?? "");
  },
} as const;

async function failing(vitest: Vitest, files: readonly string[]): Promise<string[]> {
  const specifications = await vitest.globTestSpecifications([...files]);
  const { testModules } = await vitest.runTestSpecifications(specifications);
  const names = specifications.map(({ moduleId }) => moduleId);
  return testModules.filter((module) => names.includes(module.moduleId) && !module.ok()).map((m) => m.moduleId.slice(ROOT.length));
}

const vitest = await createVitest(
  "test",
  {
    root: ROOT, config: false, watch: false, reporters: [{}], setupFiles: ["test/setup.ts"],
    include: ["src/**/*.test.ts", "test/**/*.test.ts"], isolate: false, maxWorkers: 1, pool: "threads", testTimeout: 20_000, hookTimeout: 20_000,
  },
  { plugins: [planting] },
);
const all = process.argv.includes("--all");
const only = process.argv.find((a) => a.startsWith("--only="))?.slice(7);
const ALL = [...new Set(DRIVER_FAULTS.map(({ caughtBy }) => caughtBy)), "src/driver/durable/time.test.ts", "test/integration/races.test.ts","test/integration/families.test.ts","test/integration/governance-approvals.test.ts","test/integration/governance-switch.test.ts","src/governance/governed-run.test.ts","test/simulation/governance/schedules.test.ts"];
const cpu = () => (process.cpuUsage().user + process.cpuUsage().system) / 1e6;
for (const fault of DRIVER_FAULTS) {
  if (only !== undefined && !only.split("|").some((o) => fault.bug.includes(o))) continue;
  if (readFileSync(pathOf(fault.file), "utf8").split(fault.right).length !== 2) { console.log("NOT ONCE", fault.bug); continue; }
  planted = fault;
  vitest.invalidateFile(pathOf(fault.file));
  const before = cpu(); const start = Date.now();
  const failed = await failing(vitest, all ? ALL : [fault.caughtBy]);
  planted = null;
  vitest.invalidateFile(pathOf(fault.file));
  console.log(failed.includes(fault.caughtBy) ? "ok  " : "MISS", fault.bug, "|", failed.join(" "), `| cpu ${(cpu() - before).toFixed(1)} wall ${((Date.now() - start) / 1000).toFixed(1)}`);
}
await vitest.close();
