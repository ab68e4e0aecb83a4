import { mkdirSync } from "node:fs";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, expect, it } from "vitest";
import { buildConsoleIfStale, CHECKOUT } from "../../scripts/checkout.mjs";
import { openContext } from "../browser/browser.ts";
import {
  ADMIN_KEY,
  ask,
  type CellsGround,
  createCells,
  makeOrganisation,
} from "../integration/support/cells-ground.ts";
import { prepareProgram, type ServerProcess } from "../integration/support/server-process.ts";
import { choose } from "./choose.ts";
import { screenshot, violations } from "./site.ts";

let ground: CellsGround;
let server: ServerProcess;
let acme: string;
beforeAll(async () => {
  await buildConsoleIfStale();
  prepareProgram();
  mkdirSync(join(CHECKOUT, "test", "console", "screenshots"), { recursive: true });
  ground = await createCells(["north", "south"]);
  server = await ground.start();
  acme = await makeOrganisation(server.url, "acme");
});
afterAll(() => ground.dispose());

it("operators see who lives where, and move an organisation", async () => {
  const page = await signIn(ADMIN_KEY);
  const cells = page.getByRole("table", { name: "Cells" });
  await cells.getByRole("row", { name: /north .*ready.*directory/ }).waitFor();
  await cells.getByRole("row", { name: /south .*ready/ }).waitFor();
  await page.getByText("No organisation has been moved yet").waitFor();
  await page.getByRole("button", { name: "Move acme" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByText("It lives in south.").waitFor();
  await choose(dialog, "To the cell", "north");
  await screenshot(page, "settings-cells-move-light");
  expect(await violations(page, "dialog")).toEqual([]);
  await dialog.getByRole("button", { name: "Move", exact: true }).click();
  const moves = page.getByRole("table", { name: "Moves" });
  await moves.getByRole("row", { name: /acme south → north done .*rows, frozen for/ }).waitFor();
  const residents = page.getByRole("table", { name: "Organisations" });
  await residents.getByRole("row", { name: /acme.*north/ }).waitFor();
  await screenshot(page, "settings-cells-light");
  expect(await violations(page)).toEqual([]);
  expect((await ask(server.url, acme, "GET", "/api/v1/workflows")).status).toBe(200);
  await page.context().close();
});

it("others see whose task it is", async () => {
  const page = await signIn(acme);
  await page.getByText('Cells are looked after with a key of the organisation "default".').waitFor();
  await page.context().close();
});

async function signIn(key: string): Promise<Page> {
  const context = await openContext({ viewport: { width: 1280, height: 800 }, locale: "en-GB" });
  const page = await context.newPage();
  await page.goto(`${server.url}/settings/cells`);
  await page.locator("#key").fill(key);
  await page.getByRole("button", { name: "Sign in" }).click();
  return page;
}
