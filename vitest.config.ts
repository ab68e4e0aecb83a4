import { defineConfig } from "vitest/config";
import { BaseSequencer, type TestSpecification } from "vitest/node";

/** Needs a process in which no other test has used what it tests. */
const ALONE = "src/outbound/model-patience.test.ts";

/**
 * Files that keep no state in modules or globals, so that they may share a process and the modules it has loaded. Loading
 * the whole system takes seconds, more than most of these files need for their tests. The others start processes, stop
 * databases or change the environment, and each has a process of its own.
 */
const SHARED = [
  "src/**/*.test.ts",
  "test/conformance/**/*.test.ts",
  "test/simulation/**/*.test.ts",
  "test/docs/**/*.test.ts",
  "test/bench/**/*.test.ts",
  "test/driver-faults/**/*.test.ts",
  "test/browser/same-as-server.test.ts",
  "test/{adapters,audit-format,docs,examples,examples-adapters,examples-cases,examples-registry,governance-docs,governed-example,law,package}.test.ts",
];

/** These take longest, though the files are small: at the end, the suite would wait for them alone. */
const LONG = [
  /\/test\/integration\/kill-/,
  /\/test\/console\//,
  /\/test\/integration\//,
  /\/test\/simulation\//,
  /\/test\/docs\//,
];

function placeOf({ moduleId }: TestSpecification): number {
  const place = LONG.findIndex((pattern) => pattern.test(moduleId));
  return place === -1 ? LONG.length : place;
}

class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    return (await super.sort(files)).toSorted((left, right) => placeOf(left) - placeOf(right));
  }
}

export default defineConfig({
  test: {
    globalSetup: ["test/postgres/global-setup.ts"],
    setupFiles: ["test/setup.ts"],
    pool: "forks",
    // Much of the suite waits for processes, browsers and databases: a third worker fills two cores.
    maxWorkers: 3,
    testTimeout: 60_000,
    hookTimeout: 60_000,
    sequence: { sequencer: LongestFirst },
    projects: [
      {
        extends: true,
        test: {
          name: "alone",
          include: ["test/**/*.test.ts", ALONE],
          exclude: SHARED.filter((path) => !path.startsWith("src")),
        },
      },
      { extends: true, test: { name: "shared", include: SHARED, exclude: [ALONE], isolate: false } },
    ],
  },
});
