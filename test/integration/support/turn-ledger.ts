import { existsSync, readFileSync } from "node:fs";
import { z } from "zod";

const about = { idempotencyKey: z.string(), run: z.string(), time: z.iso.datetime() };
const lineSchema = z.discriminatedUnion("kind", [
  z.object({ kind: z.literal("model"), round: z.number().int(), segment: z.number().int(), ...about }),
  z.object({
    kind: z.literal("tool"),
    callId: z.string(),
    tool: z.string(),
    args: z.record(z.string(), z.unknown()),
    ...about,
  }),
]);

/** One call of a model or a tool, written down before it had any effect. */
export type TurnCall = z.infer<typeof lineSchema> & { readonly at: number };

export function readTurnLedger(file: string): readonly TurnCall[] {
  if (!existsSync(file)) return [];
  return readFileSync(file, "utf8")
    .split("\n")
    .flatMap((line) => {
      const parsed = line === "" ? undefined : lineSchema.safeParse(JSON.parse(line));
      if (parsed?.success !== true) return [];
      return [{ ...parsed.data, at: Date.parse(parsed.data.time) }];
    });
}
