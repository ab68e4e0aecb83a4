/** Input fields that several tools share. */
import { z } from "zod";

/** Default wait. Clients of the official SDK give up after 60 seconds by default. */
const WAIT_SECONDS = 50;
const WAIT_SECONDS_MAX = 600;

export const runId = z
  .string()
  .min(1)
  .max(200)
  .describe(`Seconds to wait for the run, at most ${WAIT_SECONDS_MAX}; 0 returns at once`);

export const waitSeconds = z
  .number()
  .min(0)
  .max(WAIT_SECONDS_MAX)
  .default(WAIT_SECONDS)
  .describe(`How long to wait for the run, at most ${WAIT_SECONDS_MAX}; 0 answers at once`);

/** Fields that control how the caller waits for a run it starts. */
export const waitFields = {
  wait_seconds: waitSeconds,
  cancel_on_abort: z
    .boolean()
    .default(false)
    .describe("Cancels the run when this request is cancelled. Otherwise the run continues"),
  idempotency_key: z
    .string()
    .min(1)
    .max(255)
    .optional()
    .describe("The same key with the same arguments returns the same run, for a day"),
};
const waitSchema = z.object(waitFields);
export type WaitFields = z.output<typeof waitSchema>;

/** `wait_seconds`, `cancel_on_abort` and `idempotency_key` as JSON Schema, for tools made from a workflow. */
export function waitProperties(): Readonly<Record<string, unknown>> {
  return z.toJSONSchema(waitSchema, { io: "input" }).properties ?? {};
}

export function readWaitFields(given: object): z.ZodSafeParseResult<WaitFields> {
  return waitSchema.safeParse(given);
}

export const page = {
  limit: z.number().int().min(1).max(100).optional().describe("Maximum number of items. Default: 25"),
  cursor: z.string().optional().describe("nextCursor of an earlier answer, to continue after it"),
};

/** Removes undefined fields, which would otherwise count as given. */
export function defined<T extends object>(words: T): { [K in keyof T]: Exclude<T[K], undefined> } {
  return Object.fromEntries(Object.entries(words).filter(([, value]) => value !== undefined)) as {
    [K in keyof T]: Exclude<T[K], undefined>;
  };
}
