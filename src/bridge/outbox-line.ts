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
  /** Position of the body within the line, in bytes. */
  readonly bodyStart: number;
  readonly bodyLength: number;
}

export interface SettledLine {
  readonly kind: "settled";
  readonly id: string;
}

/** Start of the body. Quotes inside a text are escaped, so this sequence occurs first where the body begins. */
const BODY = ',"body":';

/** Returns the part of the line before the body. After the body follow `}` and a line feed. */
export function endedHead(id: string, at: number, url: string | null): string {
  return `{"ended":${at},"id":${JSON.stringify(id)},"url":${JSON.stringify(url)}${BODY}`;
}

export const ENDED_TAIL = "}\n";

export function settledLine(id: string, at: number): string {
  return `{"settled":${at},"id":${JSON.stringify(id)}}\n`;
}

/** Parses a line. Null for a line that a crash cut off, and for any other text. */
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
