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

/** How far the clocks of the server and of the Bridge may be apart on one machine. */
export const CLOCK_MS = 20;

/**
 * Each kill costs a turn one model call at most, at whatever time that is made again: a dispatch may be lost with a server
 * or a Bridge before it calls anything.
 */
export function judgeModels(
  runId: string,
  calls: readonly TurnCall[],
  startedAt: number,
  killedAt: readonly number[],
): readonly string[] {
  const models = calls.filter((call) => call.kind === "model").toSorted((left, right) => left.at - right.at);
  const seen = new Set<string>();
  const found: string[] = [];
  let repeated = 0;
  for (const { idempotencyKey: key, at } of models) {
    if (seen.has(key)) repeated += 1;
    else seen.add(key);
    const kills = killedAt.filter((kill) => kill > startedAt - CLOCK_MS && kill < at).length;
    if (repeated > kills)
      found.push(`${runId} had repeated ${repeated} model calls after ${kills} kills, the last ${key}`);
  }
  return found;
}
