/** A worker as a process of its own: every function writes a line to the ledger before anything else. */
import { appendFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { z } from "zod";
import { createWorker, NonRetryable, step, type StepContext } from "../../../src/worker/index.ts";

const [url = "", key = "", ledger = "", concurrency = "10"] = process.argv.slice(2);

const work = z.object({ n: z.number().int(), delayMs: z.number().default(0) });
const done = z.object({ n: z.number().int(), by: z.number().int() });

async function act(
  name: string,
  { n, delayMs }: z.output<typeof work>,
  { idempotencyKey, signal }: StepContext,
): Promise<z.output<typeof done>> {
  const line = { name, n, key: idempotencyKey, pid: process.pid };
  appendFileSync(ledger, `${JSON.stringify(line)}\n`);
  try {
    await sleep(delayMs, undefined, { signal });
  } catch (error) {
    appendFileSync(ledger, `${JSON.stringify({ ...line, name: "aborted" })}\n`);
    throw error;
  }
  return { n, by: process.pid };
}

const worker = createWorker({
  url,
  key,
  concurrency: Number(concurrency),
  onNote: (message) => process.stdout.write(`${message}\n`),
  functions: {
    count: step({ input: work, output: done, run: (input, context) => act("count", input, context) }),
    charge: step({
      input: work,
      output: done,
      effects: "at_most_once",
      run: (input, context) => act("charge", input, context),
    }),
    fail: step({
      input: z.object({ isFinal: z.boolean() }),
      output: z.object({}),
      run: ({ isFinal }, { log, idempotencyKey }) => {
        appendFileSync(ledger, `${JSON.stringify({ name: "fail", n: 0, key: idempotencyKey, pid: process.pid })}\n`);
        log("about to fail");
        if (isFinal) throw new NonRetryable("never again");
        throw new RangeError("not this time");
      },
    }),
  },
});
await worker.run();
process.stdout.write("ended\n");
