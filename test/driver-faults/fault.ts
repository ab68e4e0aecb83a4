/** A fault in the source of the driver: `right` is replaced by `wrong`, and the test file has to fail. */
export interface Fault {
  readonly bug: string;
  /** Under `src/driver/`. */
  readonly file: string;
  readonly right: string;
  readonly wrong: string;
  readonly caughtBy: string;
}

/** The test files that notice faults. */
export const CAUGHT_BY = {
  driver: "src/driver/durable/durable-driver.test.ts",
  governed: "src/driver/durable/governed.test.ts",
  remote: "src/driver/durable/remote.test.ts",
  children: "src/driver/durable/children.test.ts",
  lease: "src/driver/durable/lease.test.ts",
  replicas: "src/driver/durable/replicas.test.ts",
  queue: "src/driver/durable/input-queue.test.ts",
  batches: "src/driver/durable/batch-faults.test.ts",
  takeover: "test/integration/takeover.test.ts",
  queues: "test/integration/governance-queues.test.ts",
} as const;
