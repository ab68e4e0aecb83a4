// A worker with two functions. Start a server, then in this folder:
//   SLUICE_URL=http://127.0.0.1:7717 SLUICE_KEY=slk_… npx tsx worker.ts
//   npx sluice run order.lobsterX
import { createWorker, NonRetryable, step } from "sluice/worker";
import { z } from "zod";

const stock = step({
  description: "How many are left of an article",
  input: z.object({ article: z.string() }),
  output: z.object({ left: z.number().int() }),
  action: "read",
  run: ({ article }) => ({ left: article === "tea" ? 12 : 0 }),
});

const chargeCard = step({
  description: "Takes money from a card",
  input: z.object({ cents: z.number().int().positive() }),
  output: z.object({ id: z.string() }),
  action: "execute",
  effects: "at_most_once",
  run: async ({ cents }, { idempotencyKey, signal, log }) => {
    if (cents > 1_000_000) throw new NonRetryable("that is more than a card takes");
    log(`charging ${cents} cents`);
    signal.throwIfAborted();
    // A real function calls a payment service here, and hands the key on.
    return { id: `ch_${cents}_${idempotencyKey.length}` };
  },
});

const worker = createWorker({
  url: process.env.SLUICE_URL ?? "http://127.0.0.1:7717",
  key: process.env.SLUICE_KEY ?? "",
  functions: { stock, "charge-card": chargeCard },
});
await worker.run();
