import type { Page } from "playwright-core";
import { onTestFinished } from "vitest";
import type { Site, Visit } from "./site.ts";

/** Opens a page that is closed when the test ends. */
export async function visitDuringTest(site: Site, visit: Visit): Promise<Page> {
  const page = await site.visit(visit);
  onTestFinished(() => page.context().close());
  return page;
}
