import type { Page } from "playwright-core";
import { onTestFinished } from "vitest";
import type { Site, Visit } from "./site.ts";

/** Opens a page for one test, which is left when the test ends. */
export async function visitDuringTest(site: Site, visit: Visit = {}): Promise<Page> {
  const page = await site.visit(visit);
  onTestFinished(() => site.leave(page));
  return page;
}

/** The same for a test that changes the page for good, such as with scripts of its own: no other test gets it. */
export async function visitAlone(site: Site, visit: Visit = {}): Promise<Page> {
  const page = await site.visit(visit);
  onTestFinished(() => page.context().close());
  return page;
}
