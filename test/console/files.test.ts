import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openSite, type Site, violations } from "./site.ts";
import { visitDuringTest } from "./visit.ts";

/** A picture of one pixel. */
const PIXEL = Buffer.from(
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
  "base64",
);

const LOOK = `name: look
args:
  notes: { type: file, required: true }
  picture: { type: file }
steps:
  - id: look
    command: Look at it
    inputs: { notes: { type: file }, picture: { type: file, required: false } }
    outputs: { seen: boolean }
`;

let site: Site;
beforeAll(async () => {
  site = await openSite("nodes:\n  look/look: { outputs: { seen: true } }\n");
  await site.api.save(LOOK);
});
afterAll(() => site.close());

describe("files in the console", () => {
  it("are sent in the launch dialog, and shown where they come out", async () => {
    const page = await visitDuringTest(site, { path: "/workflows/look" });
    await page.getByRole("button", { name: "Launch" }).first().click();
    const dialog = page.getByRole("dialog");
    const start = dialog.getByRole("button", { name: "Start run" });
    await dialog.getByLabel("notes").waitFor();
    await expect.poll(() => start.isDisabled()).toBe(true);
    await dialog
      .getByLabel("notes")
      .setInputFiles({ name: "notes.txt", mimeType: "text/plain", buffer: Buffer.from("the tide is high") });
    await dialog.getByText("notes.txt, 16 B").waitFor();
    await dialog.getByLabel("picture").setInputFiles({ name: "map.png", mimeType: "image/png", buffer: PIXEL });
    await dialog.getByText("map.png, 70 B").waitFor();
    expect(await violations(page)).toEqual([]);
    await start.click();
    await page.waitForURL(/\/runs\//);
    const runId = page.url().split("/runs/")[1]?.split(/[?#]/)[0] ?? "";
    await site.api.settle(runId);
    await page.goto(`${site.home}/runs/${runId}?node=look`);
    await page.getByRole("tab", { name: "Result" }).click();
    await page.getByText("the tide is high").waitFor();
    const picture = page.getByAltText("picture: map.png");
    await picture.waitFor();
    const width =
      "document.querySelector('img.file-image').decode().then(() => document.querySelector('img.file-image').naturalWidth)";
    expect(await page.evaluate(width)).toBe(1);
    const download = page.waitForEvent("download");
    await page.getByRole("link", { name: "notes.txt" }).click();
    expect((await download).suggestedFilename()).toBe("notes.txt");
    expect(await violations(page)).toEqual([]);
    expect(site.complaints).toEqual([]);
  });

  it("that are refused say why", async () => {
    const page = await visitDuringTest(site, { path: "/workflows/look" });
    await page.getByRole("button", { name: "Launch" }).first().click();
    const notes = page.getByRole("dialog").getByLabel("notes");
    await notes.setInputFiles({ name: "empty.txt", mimeType: "text/plain", buffer: Buffer.alloc(0) });
    await expect.poll(() => page.getByRole("dialog").getByRole("alert").textContent()).toContain("empty");
  });
});
