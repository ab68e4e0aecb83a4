import type { Spent, Usage, UsageQuery } from "../client/index.ts";
import type { Api } from "./api.ts";
import { EXIT } from "./exit-code.ts";
import type { Io } from "./io.ts";
import { printJson } from "./listing.ts";
import { formatTable } from "./table.ts";
import { createPaint, oneLine } from "./terminal-text.ts";

export const USAGE_BUCKETS = ["hour", "day", "week", "month"] as const satisfies readonly UsageQuery["bucket"][];
export const USAGE_GROUPS = ["agent", "model", "workflow", "gateway"] as const satisfies readonly UsageQuery["by"][];

export interface UsageOptions extends UsageQuery {
  readonly json?: boolean;
}

/** Prints the usage: how much was spent, and on which models or objects. */
export async function showUsage(io: Io, api: Api, { json, bucket, by, since, until }: UsageOptions): Promise<number> {
  const usage = await api.getUsage({
    ...(bucket === undefined ? {} : { bucket }),
    ...(by === undefined ? {} : { by }),
    ...(since === undefined ? {} : { since }),
    ...(until === undefined ? {} : { until }),
  });
  if (json === true) printJson(io, usage);
  else printUsage(io, usage);
  return EXIT.fine;
}

function printUsage(io: Io, { bucket, by, since, until, data, totals }: Usage): void {
  if (data.length === 0) {
    io.err.write(`nothing was used between ${minute(since)} and ${minute(until)}\n`);
    return;
  }
  const group = (text: string): readonly string[] => (by === null ? [] : [text]);
  const rows = data.map((row) => [
    bucket === "hour" ? minute(row.bucketStart) : row.bucketStart.slice(0, 10),
    ...group(row.group === null ? "–" : oneLine(row.group)),
    ...cells(row),
  ]);
  const head = [bucket.toUpperCase(), ...group((by ?? "").toUpperCase()), "CALLS", "INPUT", "OUTPUT", "CACHED", "COST"];
  const table = formatTable([head, ...rows, ["total", ...group(""), ...cells(totals)]]);
  const lines = table.trimEnd().split("\n");
  const last = lines.pop() ?? "";
  io.out.write(`${lines.join("\n")}\n${createPaint(io.out, io.env)("bold", last)}\n`);
}

/** Returns the cells of a row. Thinking tokens are billed as output tokens. */
function cells({ count, inputTokens, outputTokens, thinkingTokens, cachedTokens, costUsd }: Spent): readonly string[] {
  return [count, inputTokens, outputTokens + thinkingTokens, cachedTokens].map(String).concat(`$${costUsd}`);
}

function minute(iso: string): string {
  return iso.slice(0, 16).replace("T", " ");
}
