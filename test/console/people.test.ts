import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { GATED, HELLO } from "../api/fixture.ts";
import { openContext } from "../browser/browser.ts";
import { type LocalProvider, startProvider } from "../oidc/provider.ts";
import { openSite, screenshot, type Site, violations } from "./site.ts";
import { visitDuringTest } from "./visit.ts";

const BUILD_MS = 180_000;

let provider: LocalProvider;
let site: Site;
beforeAll(async () => {
  provider = await startProvider();
  const verified = { email_verified: true };
  provider.accounts.set("ann", { ...verified, email: "ann@example.com", name: "Ann", sluice_role: "admin" });
  provider.accounts.set("bob", { ...verified, email: "bob@example.com", name: "Bob", sluice_role: "viewer" });
  provider.accounts.set("zoe", { ...verified, email: "zoe@example.com", name: "Zoe" });
  site = await openSite(undefined, [], { signIn: [provider.signIn()] });
  provider.register([`${site.url}/auth/test/callback`]);
  for (const source of [HELLO, GATED]) await site.api.save(source);
}, BUILD_MS);
afterAll(async () => {
  await site?.close();
  await provider?.close();
});

const heading = (page: Page, name: string) => page.getByRole("heading", { level: 1, name, exact: true }).waitFor();

/** A browser of its own, signed in as a person. */
async function signIn(name: string, path = "/"): Promise<Page> {
  const context = await openContext({ locale: "en-GB" });
  const page = await context.newPage();
  await page.goto(site.url + path);
  await page.getByRole("link", { name: "Sign in with Test provider" }).click();
  await page.getByLabel("Name").fill(name);
  await page.getByRole("button", { name: "Continue" }).click();
  await page.waitForURL(`${site.url}/**`);
  return page;
}

describe("signing in at a provider", () => {
  it("comes back to the page that was asked for, with a cookie no script can read", async () => {
    const page = await signIn("ann", "/runs?status=failed");
    await heading(page, "Runs");
    expect(page.url()).toBe(`${site.home}/runs?status=failed`);
    const cookie = (await page.context().cookies(site.url)).find(({ name }) => name === "sluice_session");
    expect(cookie).toMatchObject({ httpOnly: true, sameSite: "Lax" });
    expect(await page.evaluate("document.cookie")).toBe("");
    await page.getByRole("button", { name: "Signed in as ann@example.com" }).click();
    await page.getByRole("menuitem", { name: "Your account" }).click();
    await heading(page, "Your account");
    await page.getByText("user:ann@example.com").waitFor();
    await page.getByRole("table", { name: "Sessions" }).getByText("this one").waitFor();
    expect(await violations(page)).toEqual([]);
    await screenshot(page, "account");
    await page.getByRole("button", { name: "Signed in as ann@example.com" }).click();
    await page.getByRole("menuitem", { name: "Sign out" }).click();
    await page.getByRole("link", { name: "Sign in with Test provider" }).waitFor();
    expect(await violations(page)).toEqual([]);
    await screenshot(page, "sign-in-provider");
    await page.reload();
    await page.getByRole("link", { name: "Sign in with Test provider" }).waitFor();
    await page.context().close();
  });

  it("tells a person without a membership whom to ask", async () => {
    const page = await signIn("zoe");
    await page.getByText("You are not a member of an organisation yet.").waitFor();
    await page.getByText("zoe@example.com").first().waitFor();
    expect(await violations(page)).toEqual([]);
    await page.goto(`${site.url}/o/other/runs`);
    await page.getByText("You are not a member of other.").waitFor();
    await page.context().close();
  });
});

describe("two organisations", () => {
  it("are shown in two tabs at the same time, each with its own", async () => {
    const first = await signIn("ann");
    await heading(first, "Home");
    await first.goto(`${site.home}/settings/organisation`);
    await first.getByLabel("Id").fill("second");
    await first.getByRole("button", { name: "Create organisation" }).click();
    await first.waitForURL(`${site.url}/o/second/`);
    await heading(first, "Home");
    const second = await first.context().newPage();
    await second.goto(`${site.home}/workflows`);
    await second.getByText("gated").first().waitFor();
    await first.getByRole("link", { name: "Workflows" }).first().click();
    await heading(first, "Workflows");
    expect(first.url()).toBe(`${site.url}/o/second/workflows`);
    await expect.poll(() => first.getByText("gated").count()).toBe(0);
    // A run of one organisation reaches only the tab that shows it.
    await first.goto(`${site.url}/o/second/runs`);
    await second.goto(`${site.home}/runs`);
    for (const page of [first, second]) await page.locator('[data-live="live"]').waitFor();
    const runId = await site.api.run("hello", { who: "Ada" });
    await second.locator(`tr[data-key="${runId}"]`).waitFor();
    await expect.poll(() => first.locator(`tr[data-key="${runId}"]`).count()).toBe(0);
    await first.getByRole("button", { name: "Signed in as ann@example.com" }).click();
    await first.getByRole("menuitem", { name: "Switch to default" }).click();
    await first.waitForURL(`${site.home}/`);
    await first.context().close();
  });
});

describe("people in the settings", () => {
  it("are invited, join, get groups and are removed, and their open tab notices", async () => {
    const ann = await signIn("ann", "/o/default/settings/people");
    await ann.getByRole("button", { name: "Invite" }).click();
    const dialog = ann.getByRole("dialog", { name: "Invite a person" });
    await dialog.getByLabel("Email").fill("zoe@example.com");
    await dialog.getByLabel(/^approver/).check();
    await dialog.getByRole("button", { name: "Invite" }).click();
    const link = await ann.getByText(/\/invite\?token=/).textContent();
    await ann.getByRole("button", { name: "I have sent it" }).click();
    await ann.getByRole("table", { name: "Invitations" }).getByText("zoe@example.com").waitFor();

    const context = await openContext();
    const zoe = await context.newPage();
    await zoe.goto(link ?? "");
    await zoe.getByRole("link", { name: "Sign in at Test provider" }).click();
    await zoe.getByLabel("Name").fill("zoe");
    await zoe.getByRole("button", { name: "Continue" }).click();
    await zoe.getByRole("button", { name: "Accept" }).click();
    await heading(zoe, "Home");
    await zoe.locator('[data-live="live"]').waitFor();

    await ann.reload();
    const row = ann.getByRole("table", { name: "People" }).getByRole("row", { name: /^zoe@example\.com/ });
    await row.getByRole("button", { name: "Change" }).click();
    const change = ann.getByRole("dialog", { name: "zoe@example.com" });
    await change.getByLabel("Groups").fill("finance, legal");
    await change.getByRole("button", { name: "Save" }).click();
    await row.getByText("finance, legal").waitFor();
    expect(await violations(ann)).toEqual([]);
    await screenshot(ann, "people");
    await row.getByRole("button", { name: "Remove zoe@example.com" }).click();
    await ann.getByRole("dialog").getByRole("button", { name: "Remove" }).click();
    await row.waitFor({ state: "detached" });
    await zoe.getByText("You are not a member of default.").waitFor();
    await context.close();
    await ann.context().close();
  });

  it("name a deputy, and end another browser's session", async () => {
    const bob = await signIn("bob", "/o/default/account");
    const elsewhere = await signIn("bob", "/o/default/runs");
    await heading(elsewhere, "Runs");
    await elsewhere.locator('[data-live="live"]').waitFor();
    await bob.getByLabel("Until").fill("2099-01-31");
    await bob.getByRole("button", { name: "Set deputy" }).click();
    await bob.getByText(/ann@example\.com answers approvals in your place/).waitFor();
    await bob.getByRole("button", { name: "Remove" }).click();
    await bob.getByLabel("Until").waitFor();
    await bob.reload();
    await bob.getByRole("button", { name: "End" }).first().click();
    await elsewhere.getByRole("link", { name: "Sign in with Test provider" }).waitFor();
    await bob.context().close();
    await elsewhere.context().close();
  });

  it("look right in the dark and on a narrow screen", async () => {
    const page = await visitDuringTest(site, { theme: "dark", width: 420, path: "/settings/people" });
    await page.getByRole("table", { name: "People" }).waitFor();
    expect(await violations(page)).toEqual([]);
    await screenshot(page, "people-dark");
    expect(await page.evaluate("document.documentElement.scrollWidth <= innerWidth")).toBe(true);
    await page.goto(`${site.home}/settings/organisation`);
    await page.getByLabel("Name").waitFor();
    expect(await violations(page)).toEqual([]);
  });
});

it("warns on the approvals screen where approvers are asked and not enforced", async () => {
  const warning = /Approvers are not enforced on this server/;
  const page = await visitDuringTest(site, { path: "/approvals" });
  await page.getByRole("heading", { name: "Approvals", level: 1 }).waitFor();
  await expect.poll(() => page.getByText(warning).count()).toBe(0);
  const lenient = await openSite(undefined, [], { approvers: "advisory" });
  const warned = await lenient.visit({ path: "/approvals" });
  await warned.getByRole("status").filter({ hasText: warning }).waitFor();
  await lenient.close();
});

it("browsers complain about nothing", () => {
  expect(site.complaints).toEqual([]);
});
