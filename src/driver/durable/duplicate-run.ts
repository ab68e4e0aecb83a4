/** Thrown when the idempotency key of a launch was used for another run. */
export class DuplicateRun extends Error {
  override readonly name = "DuplicateRun";
  readonly runId: string;
  readonly bodyHash: string;
  constructor(runId: string, bodyHash: string) {
    super("the idempotency key was used before");
    this.runId = runId;
    this.bodyHash = bodyHash;
  }
}
