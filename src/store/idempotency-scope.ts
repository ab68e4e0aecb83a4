/** Time for which an idempotency key refers to the run it started. */
export const IDEMPOTENCY_MS = 24 * 3_600_000;

export interface IdempotencyScope {
  readonly orgId: string;
  readonly keyId: string;
  readonly workflow: string;
  readonly key: string;
}
