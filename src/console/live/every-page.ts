import type { ListPage, PageOptions } from "../../client/index.ts";

const PAGE = 100;
const PAGES_MAX = 10;
/** Most entries that are read. */
export const ENTRIES_MAX = PAGE * PAGES_MAX;

/** Reads the pages of a list one after the other, up to the maximum. */
export async function everyPage<T>(read: (page: PageOptions) => Promise<ListPage<T>>): Promise<readonly T[]> {
  const all: T[] = [];
  let cursor: string | undefined;
  for (let count = 0; count < PAGES_MAX; count += 1) {
    const page = await read({ limit: PAGE, ...(cursor === undefined ? {} : { cursor }) });
    all.push(...page.data);
    cursor = page.nextCursor;
    if (cursor === undefined) break;
  }
  return all;
}
