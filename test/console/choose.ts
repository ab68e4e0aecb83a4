import type { Locator, Page } from "playwright-core";

/** Takes an option of a list of choices by its label, as a person would: opens the list, then takes it. */
export async function choose(scope: Page | Locator, label: string | RegExp, option: string | RegExp): Promise<void> {
  const page = "page" in scope ? scope.page() : scope;
  await scope.getByRole("combobox", { name: label, exact: true }).click();
  await page.getByRole("option", { name: option, exact: true }).click();
}
