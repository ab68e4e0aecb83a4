import { defineConfig } from "vitest/config";
import { BaseSequencer, type TestSpecification } from "vitest/node";

/** Needs a process in which nobody has used what it tests. */
const ALONE = "src/outbound/model-patience.test.ts";

/** What takes longest, though the files are small: left to the end, it would be waited for alone. */
const LONG = [/\/test\/integration\/kill-/, /\/test\/console\//, /\/test\/integration\//, /\/test\/simulation\//];

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
        test: { name: "whole", include: ["test/**/*.test.ts", ALONE] },
      },
      {
        extends: true,
        // Rooms keep no state of their own, so that their tests may share a process and what it has loaded.
        test: { name: "rooms", include: ["src/**/*.test.ts"], exclude: [ALONE], isolate: false },
      },
    ],
  },
});
