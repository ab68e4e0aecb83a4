import { defineConfig } from "vitest/config";

/**
 * The tests a mutant of the engine or of governance has to survive: only those that take milliseconds, since each mutant
 * runs every one that reaches it. Those that need a server are in the ordinary suite.
 */
export default defineConfig({
  test: {
    setupFiles: ["test/setup.ts"],
    include: [
      "src/core/{engine,governance}/**/*.test.ts",
      "test/conformance/{approvals,children,failure,instances,joins,lens-graph,lens-outcomes,lens-work,outputs,patience,provenance,reopening,run-status,scheduling,streaming}.test.ts",
    ],
    exclude: ["src/core/governance/sample.test.ts"],
    isolate: false,
    // A slow machine is no failure: only what never comes is. Mutants that loop are ended by Stryker.
    testTimeout: 180_000,
  },
});
