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

/** What the API takes of a list's options: nothing that was not given. */
export function pageOf({ limit, cursor }: ListOptions): { readonly limit?: number; readonly cursor?: string } {
  return { ...(limit === undefined ? {} : { limit }), ...(cursor === undefined ? {} : { cursor }) };
}

/** A page as a table for people, or as the API gave it for programs. */
export function printList<T>(io: Io, page: ListPage<T>, { json }: ListOptions, { head, row, none }: Columns<T>): void {
  if (json === true) {
    io.out.write(`${JSON.stringify(page, null, 2)}\n`);
    return;
  }
  if (page.data.length === 0) io.err.write(`${none}\n`);
  else io.out.write(formatTable([head, ...page.data.map(row)]));
  if (page.nextCursor !== undefined) io.err.write(`there are more: --cursor ${printable(page.nextCursor)}\n`);
}

/** One thing, a line per fact; facts that are not known are left out. */
export function printFacts(io: Io, facts: readonly (readonly [string, string | null | undefined])[]): void {
  const paint = createPaint(io.out, io.env);
  const known = facts.flatMap(([name, value]) => (value === null || value === undefined ? [] : [[name, value]]));
  const width = Math.max(0, ...known.map(([name = ""]) => name.length));
  for (const [name = "", value = ""] of known) io.out.write(`${paint("gray", name.padEnd(width))}  ${value}\n`);
}

export function printJson(io: Io, value: unknown): void {
  io.out.write(`${JSON.stringify(value, null, 2)}\n`);
}

/** `3 min 05 s ago`, `in 2 h 00 min`; a dash for what has not been. */
export function formatWhen(iso: string | null | undefined, now: number): string {
  const at = iso === null || iso === undefined ? NaN : Date.parse(iso);
  if (!Number.isFinite(at)) return "–";
  return at > now ? `in ${formatDuration(at - now)}` : `${formatDuration(now - at)} ago`;
}
