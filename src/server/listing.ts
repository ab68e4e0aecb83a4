import { z } from "zod";
import { compareCodeUnits } from "../core/base/index.ts";
import { decodeCursor, encodeCursor, type Listed, type Page } from "../store/index.ts";
import { Refused } from "./problem.ts";

const PAGE_SIZE = 25;
const PAGE_SIZE_MAX = 100;
const EVENTS_PAGE_SIZE = 100;
const EVENTS_PAGE_SIZE_MAX = 1_000;

const limit = (max: number, byDefault: number) =>
  z.coerce.number().int().min(1).max(max).default(byDefault).describe("At most so many in one answer");
const cursor = z.string().max(1_000).optional().describe("nextCursor of the answer before");
/** Text from a query that is compared with stored text, which never holds control characters. */
export const filterText = z
  .string()
  .regex(/^[^\p{Cc}\p{Surrogate}]{1,200}$/u, "Invalid text: at most 200 printable characters");

export const pageQuery = z.object({ limit: limit(PAGE_SIZE_MAX, PAGE_SIZE), cursor });

/** For lists that are short: everything unless a page is asked for. */
export const wholeQuery = z.object({
  limit: z.coerce.number().int().min(1).max(PAGE_SIZE_MAX).optional().describe("Default: all of them"),
  cursor,
});

/** One page of a list that is in memory, in the order of its ids. */
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

export const eventsQuery = z.object({
  afterEventId: z.string().optional().describe("Event id to go on after; 0 or nothing: from the start"),
  limit: limit(EVENTS_PAGE_SIZE_MAX, EVENTS_PAGE_SIZE),
  cursor: z.string().optional().describe("nextCursor of an earlier answer, instead of afterEventId"),
});

export function pageOf(query: z.output<typeof pageQuery>): Page {
  return { limit: query.limit, cursor: query.cursor ?? null };
}

/** An event id as a client wrote it: 0, 1, 2, … up to what a number can hold exactly. */
export function readEventId(text: string): number {
  const id = /^(?:0|[1-9][0-9]{0,15})$/.test(text) ? Number(text) : Number.NaN;
  if (Number.isSafeInteger(id)) return id;
  throw new Refused("bad_cursor", "An event id is a whole number from 0 on, written in digits.");
}
