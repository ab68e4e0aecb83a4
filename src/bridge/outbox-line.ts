import { z } from "zod";

const endedSchema = z.object({
  ended: z.number(),
  id: z.string(),
  url: z.string().nullable(),
  body: z.record(z.string(), z.unknown()),
});
const settledSchema = z.object({ settled: z.number(), id: z.string() });

export interface EndedLine {
  readonly kind: "ended";
  readonly id: string;
  readonly at: number;
  readonly url: string | null;
  /** Where the body stands within the line, in bytes. */
  readonly bodyStart: number;
  readonly bodyLength: number;
}

export interface SettledLine {
  readonly kind: "settled";
  readonly id: string;
}

/** Quotes inside a text are escaped, so that these bytes stand only where the body begins. */
const BODY = ',"body":';

/** What stands before the body; after it comes `}` and the end of the line. */
export function endedHead(id: string, at: number, url: string | null): string {
  return `{"ended":${at},"id":${JSON.stringify(id)},"url":${JSON.stringify(url)}${BODY}`;
}

export const ENDED_TAIL = "}\n";

export function settledLine(id: string, at: number): string {
  return `{"settled":${at},"id":${JSON.stringify(id)}}\n`;
}

/** Null for a line a kill cut short, and for anything else that is not ours. */
export function readOutboxLine(line: Buffer): EndedLine | SettledLine | null {
  let value: unknown;
  try {
    value = JSON.parse(line.toString("utf8"));
  } catch {
    return null;
  }
  const settled = settledSchema.safeParse(value);
  if (settled.success) return { kind: "settled", id: settled.data.id };
  const ended = endedSchema.safeParse(value);
  const place = line.indexOf(BODY);
  if (!ended.success || place < 0) return null;
  const bodyStart = place + BODY.length;
  const { id, ended: at, url } = ended.data;
  return { kind: "ended", id, at, url, bodyStart, bodyLength: line.length - 1 - bodyStart };
}
