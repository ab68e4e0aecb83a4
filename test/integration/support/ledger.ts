import { existsSync, readFileSync } from "node:fs";
import { z } from "zod";

const lineSchema = z.strictObject({
  dispatchId: z.string(),
  idempotencyKey: z.string(),
  run: z.string(),
  node: z.string(),
  attempt: z.number().int().positive(),
  time: z.iso.datetime(),
});

/** One call of the adapter, written down before it had any effect. */
export type Call = Omit<z.infer<typeof lineSchema>, "time"> & { readonly at: number };

export function readLedger(file: string): readonly Call[] {
  if (!existsSync(file)) return [];
  const lines = readFileSync(file, "utf8").split("\n");
  return lines
    .filter((line) => line !== "")
    .map((line) => {
      const { time, ...call } = lineSchema.parse(JSON.parse(line));
      return { ...call, at: Date.parse(time) };
    });
}
