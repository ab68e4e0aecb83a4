import type { IncomingMessage } from "node:http";

/** The maximum delay of a Node timer. A longer one would fire immediately. */
export const TIMER_MS_MAX = 2_147_483_647;

export async function readText(response: IncomingMessage, bytesMax: number): Promise<string | null> {
  return (await readBytes(response, bytesMax))?.toString("utf8") ?? null;
}

/** Null when the response is longer than `bytesMax`. */
export async function readBytes(response: IncomingMessage, bytesMax: number): Promise<Buffer | null> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of response as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > bytesMax) return null;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

export function headersOf(response: IncomingMessage): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Object.entries(response.headersDistinct).map(([name, values]) => [name, (values ?? []).join(", ")]),
  );
}

/** Several addresses tried at once fail with an AggregateError, and the code of its first error is used. */
export function codeOf(error: unknown): string {
  if (error instanceof AggregateError && error.errors.length > 0) return codeOf(error.errors[0]);
  return error instanceof Error && "code" in error && typeof error.code === "string" ? error.code : "";
}

export function textOf(error: unknown): string {
  if (error instanceof AggregateError && error.errors.length > 0) return textOf(error.errors[0]);
  return error instanceof Error ? error.message : String(error);
}
