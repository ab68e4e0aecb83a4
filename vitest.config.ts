import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    include: ["src/**/*.test.ts", "test/**/*.test.ts"],
    globalSetup: ["test/postgres/global-setup.ts"],
    setupFiles: ["test/setup.ts"],
    pool: "forks",
    // Much of the suite waits for processes, browsers and databases: a third worker fills two cores.
    maxWorkers: 3,
    testTimeout: 60_000,
    hookTimeout: 60_000,
  },
});
