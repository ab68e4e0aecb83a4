/**
 * `npm run faults [-- TEXT]`: plants one fault after another in the driver, or those whose description contains TEXT, and
 * runs the test file that has to fail. A fault that no test notices is a rule without a test.
 */
import { fileURLToPath } from "node:url";
import { createVitest } from "vitest/node";
import type { Fault } from "./fault.ts";
import { DRIVER_FAULTS } from "./faults.ts";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));
const pathOf = ({ file }: Fault): string => `${ROOT}src/driver/${file}`;

let planted: Fault | null = null;

const vitest = await createVitest(
  "test",
  {
    root: ROOT,
    config: false,
    watch: false,
    // Prints nothing: that tests fail is what is wanted.
    reporters: [{}],
    include: ["{src,test}/**/*.test.ts"],
    setupFiles: ["test/setup.ts"],
    pool: "threads",
    maxWorkers: 1,
    isolate: false,
    bail: 1,
    testTimeout: 30_000,
  },
  {
    plugins: [
      {
        name: "planted-fault",
        enforce: "pre",
        transform(code, id) {
          if (planted === null || id !== pathOf(planted)) return null;
          return code.replace(planted.right, () => planted?.wrong ?? "");
        },
      },
    ],
  },
);

type Outcome = "passes" | "fails" | "does not run";

async function runTests(testFile: string, fault: Fault | null): Promise<Outcome> {
  planted = fault;
  if (fault !== null) vitest.invalidateFile(pathOf(fault));
  const specifications = await vitest.globTestSpecifications([testFile]);
  const { testModules } = await vitest.runTestSpecifications(specifications);
  if (fault !== null) vitest.invalidateFile(pathOf(fault));
  const module = testModules.find(({ moduleId }) => moduleId === `${ROOT}${testFile}`);
  // A fault that cannot be compiled proves nothing.
  if (module === undefined || module.errors().length > 0) return "does not run";
  return module.ok() ? "passes" : "fails";
}

/** What is wrong with a fault; null: it is noticed. */
async function examine(fault: Fault): Promise<string | null> {
  const outcome = await runTests(fault.caughtBy, fault);
  return outcome === "fails" ? null : `${fault.caughtBy} ${outcome}`;
}

const print = (line: string): boolean => process.stdout.write(`${line}\n`);

const [, , text = ""] = process.argv;
const faults = DRIVER_FAULTS.filter(({ bug }) => bug.includes(text));
let missed = 0;
for (const testFile of new Set(faults.map(({ caughtBy }) => caughtBy))) {
  const outcome = await runTests(testFile, null);
  if (outcome === "passes") continue;
  missed += 1;
  print(`MISSED  without any fault, ${testFile} ${outcome}`);
}
for (const fault of faults) {
  const problem = await examine(fault);
  if (problem !== null) missed += 1;
  print(problem === null ? `noticed ${fault.bug}` : `MISSED  ${fault.bug}: ${problem}`);
}
print(`${faults.length} faults planted, ${missed} missed`);
await vitest.close();
// What a fault has left waiting must not keep the process.
process.exit(missed === 0 ? 0 : 1);
