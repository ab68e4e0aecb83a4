/** Pages of lists: queries and results. */
import { z } from "zod";

const PAGE_SIZE = 25;
const PAGE_SIZE_MAX = 100;
const EVENTS_PAGE_SIZE = 100;
const EVENTS_PAGE_SIZE_MAX = 1_000;

/** A number in a query. An empty text is refused like any other text; `Number` would read it as 0. */
export function queryNumber(schema: z.ZodCoercedNumber) {
  return z.preprocess((sent) => (typeof sent === "string" && sent.trim() === "" ? Number.NaN : sent), schema);
}

const limit = (max: number, byDefault: number) =>
  queryNumber(z.coerce.number().int().min(1).max(max))
    .default(byDefault)
    .describe("Maximum number of items in one answer");
const cursor = z.string().max(1_000).optional().describe("`nextCursor` of the previous answer");

/** Text in a query that is compared with stored text. Stored text never contains control characters. */
export const filterText = z
  .string()
  .regex(/^[^\p{Cc}\p{Surrogate}]{1,200}$/u, "Invalid text: at most 200 printable characters");

export const pageQuery = z.object({ limit: limit(PAGE_SIZE_MAX, PAGE_SIZE), cursor });
export type PageOptions = Readonly<{ limit?: number; cursor?: string }>;

/** Query for short lists: returns everything unless a page is requested. */
export const wholeQuery = z.object({
  limit: queryNumber(z.coerce.number().int().min(1).max(PAGE_SIZE_MAX))
    .optional()
    .describe("Maximum number of items in one answer. Default: all"),
  cursor,
});

export const eventsQuery = z.object({
  afterEventId: z.string().optional().describe("Event id to continue after. 0 or absent: from the start"),
  limit: limit(EVENTS_PAGE_SIZE_MAX, EVENTS_PAGE_SIZE),
  cursor: z.string().optional().describe("`nextCursor` of an earlier answer, in place of afterEventId"),
});

export function listOf<S extends z.ZodType>(item: S) {
  return z.object({ data: z.array(item), nextCursor: z.string().optional() });
}

/** One page of a list. */
export interface ListPage<T> {
  readonly data: readonly T[];
  /** Absent on the last page. */
  readonly nextCursor?: string;
}
