import { defineConfig } from "vitest/config";

/** Needs a process in which nobody has used what it tests. */
const ALONE = "src/outbound/model-patience.test.ts";

export default defineConfig({
  test: {
    globalSetup: ["test/postgres/global-setup.ts"],
    setupFiles: ["test/setup.ts"],
    pool: "forks",
    // Much of the suite waits for processes, browsers and databases: a third worker fills two cores.
    maxWorkers: 3,
    testTimeout: 60_000,
    hookTimeout: 60_000,
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
