import type { z } from "zod";
import type { pageQuery, wholeQuery } from "../contract/index.ts";
import { compareCodeUnits } from "../core/base/index.ts";
import { decodeCursor, encodeCursor, type Listed, type Page } from "../store/index.ts";
import { Refused } from "./problem.ts";

/** Returns one page of a list in memory, ordered by id. */
export function pageInMemory<T extends { readonly id: string }>(
  all: readonly T[],
  { limit: count = all.length, cursor: from }: z.output<typeof wholeQuery>,
): Listed<T> {
  const after = decodeCursor(from ?? null)?.id ?? null;
  const rest = all.filter(({ id }) => after === null || compareCodeUnits(id, after) > 0);
  const data = rest.slice(0, count);
  const last = data.at(-1);
  const hasMore = last !== undefined && rest.length > data.length;
  return { data, nextCursor: hasMore ? encodeCursor({ at: 0, id: last.id }) : null };
}

export function pageOf(query: z.output<typeof pageQuery>): Page {
  return { limit: query.limit, cursor: query.cursor ?? null };
}

/** Parses an event id: 0, 1, 2, … up to the largest exact integer. */
export function readEventId(text: string): number {
  const id = /^(?:0|[1-9][0-9]{0,15})$/.test(text) ? Number(text) : Number.NaN;
  if (Number.isSafeInteger(id)) return id;
  throw new Refused("bad_cursor", "An event id is a whole number from 0 on, written in digits.");
}
