import type { ListPage } from "../client/index.ts";
import { formatDuration } from "./figures.ts";
import type { Io } from "./io.ts";
import { formatTable } from "./table.ts";
import { createPaint, printable } from "./terminal-text.ts";

export interface ListOptions {
  readonly limit?: number;
  readonly cursor?: string;
  readonly json?: boolean;
}

interface Columns<T> {
  readonly head: readonly string[];
  readonly row: (item: T) => readonly string[];
  /** Printed when the list is empty. */
  readonly none: string;
}

/** Returns the list options as the API expects them, without those that were not given. */
export function pageOf({ limit, cursor }: ListOptions): { readonly limit?: number; readonly cursor?: string } {
  return { ...(limit === undefined ? {} : { limit }), ...(cursor === undefined ? {} : { cursor }) };
}

/** Prints a page as a table for people, or as the API returned it for programs. */
export function printList<T>(io: Io, page: ListPage<T>, { json }: ListOptions, { head, row, none }: Columns<T>): void {
  if (json === true) {
    io.out.write(`${JSON.stringify(page, null, 2)}\n`);
    return;
  }
  if (page.data.length === 0) io.err.write(`${none}\n`);
  else io.out.write(formatTable([head, ...page.data.map(row)]));
  if (page.nextCursor !== undefined) io.err.write(`there are more: --cursor ${printable(page.nextCursor)}\n`);
}

/** Prints one object with one fact per line. Unknown facts are left out. */
export function printFacts(io: Io, facts: readonly (readonly [string, string | null | undefined])[]): void {
  const paint = createPaint(io.out, io.env);
  const known = facts.flatMap(([name, value]) => (value === null || value === undefined ? [] : [[name, value]]));
  const width = Math.max(0, ...known.map(([name = ""]) => name.length));
  for (const [name = "", value = ""] of known) io.out.write(`${paint("gray", name.padEnd(width))}  ${value}\n`);
}

export function printJson(io: Io, value: unknown): void {
  io.out.write(`${JSON.stringify(value, null, 2)}\n`);
}

/** Formats a moment as `3 min 05 s ago` or `in 2 h 00 min`, or as a dash when there is none. */
export function formatWhen(iso: string | null | undefined, now: number): string {
  const at = iso === null || iso === undefined ? NaN : Date.parse(iso);
  if (!Number.isFinite(at)) return "–";
  return at > now ? `in ${formatDuration(at - now)}` : `${formatDuration(now - at)} ago`;
}
