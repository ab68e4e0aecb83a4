import { configDefaults, defineConfig } from "vitest/config";
import { BaseSequencer, type TestSpecification } from "vitest/node";

/**
 * Needs a process in which no other test has used what it tests. All other files share processes and the modules these
 * have loaded, because loading the whole system takes longer than most files need for their tests.
 */
const ALONE = "src/outbound/model-patience.test.ts";

/** These take longest, though the files are small: at the end, the suite would wait for them alone. */
const LONG = [
  /\/test\/integration\/kill-/,
  /\/test\/console\//,
  /\/test\/integration\//,
  /\/test\/simulation\//,
  /\/test\/docs\//,
];

/** A shared process ends when a file that needs its own is next, hence that one is first. */
function placeOf({ moduleId }: TestSpecification): number {
  if (moduleId.endsWith(ALONE)) return -1;
  const place = LONG.findIndex((pattern) => pattern.test(moduleId));
  return place === -1 ? LONG.length : place;
}

class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    return (await super.sort(files)).toSorted((left, right) => placeOf(left) - placeOf(right));
  }
}

export default defineConfig({
  resolve: {
    alias: {
      "sluice/client": new URL("src/client/index.ts", import.meta.url).pathname,
      "sluice/workflow": new URL("src/workflow/index.ts", import.meta.url).pathname,
    },
  },
  test: {
    globalSetup: ["test/postgres/global-setup.ts"],
    setupFiles: ["test/setup.ts"],
    pool: "forks",
    // Much of the suite waits for processes, browsers and databases: four workers fill two cores.
    maxWorkers: 4,
    // A slow machine is no failure: only what never comes is.
    testTimeout: 180_000,
    hookTimeout: 180_000,
    expect: { poll: { timeout: 60_000 } },
    sequence: { sequencer: LongestFirst },
    // Modules that have not changed are not compiled again by the next run.
    experimental: { fsModuleCache: true },
    projects: [
      { extends: true, test: { name: "alone", include: [ALONE] } },
      {
        extends: true,
        test: {
          name: "shared",
          include: ["{src,test}/**/*.test.ts"],
          exclude: [...configDefaults.exclude, ALONE],
          isolate: false,
        },
      },
    ],
  },
});
