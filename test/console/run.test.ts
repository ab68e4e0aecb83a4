import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { State } from "../../src/client/index.ts";
import { overlaps } from "./overlap.ts";
import { openSite, PEOPLE_PAY, screenshot, type Site, violations, type Visit } from "./site.ts";
import { visitAlone, visitDuringTest } from "./visit.ts";

const REFUND = `name: refund
description: Pays back what is owed.
args:
  customer: { type: string, default: Ada }
steps:
  - { id: collect, command: "Collect what \${customer} wrote to us" }
  - { id: assess, command: "Decide what \${customer} is owed, from \${collect.stdout}" }
  - { id: check_names, command: "Check the names in \${collect.stdout}" }
  - { id: pay, command: "Pay \${customer} what \${assess.stdout} says", action: financial, estimated_cost: 0.01 }
  - { id: letter, command: "Write to \${customer} about \${pay.stdout}", depends_on: [check_names] }
`;
const BROKEN = `name: broken
steps:
  - { id: first, command: Begin }
  - { id: second, command: "Go on with \${first.stdout}" }
  - { id: third, command: "End with \${second.stdout}" }
`;
const ENDLESS = `name: endless
steps:
  - { id: wait, command: Wait }
  - { id: after, command: "Then \${wait.stdout}" }
`;
const HOSTILE = `name: hostile
steps:
  - { id: evil, command: Say something bad }
  - { id: next, command: "Use \${evil.stdout}" }
`;
const EACH = `name: each
steps:
  - { id: list, command: List them, outputs: { items: { type: array } } }
  - { id: one, command: "Do \${item}", for_each: list.outputs.items, tolerate: 1 }
  - { id: all, command: "Sum up \${one.outputs.items}" }
`;
const FAMILY = `name: family
steps:
  - { id: call, workflow_ref: each }
  - { id: after, command: "Then \${call.outputs}" }
`;
const NESTED = `name: nested
steps:
  - id: prepare
    steps:
      - { id: look, command: Look }
      - { id: deep, depends_on: [look], steps: [{ id: dig, command: Dig }] }
finally:
  - { id: report, command: Report }
`;
/** Twenty waves of a hundred nodes, each after one or two of the wave before. */
const BIG = `name: big
max_parallel: 200
steps:
${Array.from({ length: 2_000 }, (_, index) => {
  const [wave, place] = [Math.floor(index / 100), index % 100];
  const parents = wave === 0 ? [] : [...new Set([place, (place * 7) % 100])].map((each) => `n${wave - 1}_${each}`);
  return `  - { id: n${wave}_${place}, command: Work, depends_on: [${parents.join(", ")}] }`;
}).join("\n")}
`;
const QUICK = REFUND.replace("name: refund", "name: quick");
const PIECES = ["The customer ", "is owed ", "exactly ", "twelve ", "dollars ", "and ", "an ", "apology."];
const EVIL_TEXT = `<img src=x onerror="document.title='owned'"><script>document.title='owned'</script> \u001b[31mred\u001b[0m \u202egnp.exe ${"long ".repeat(12_000)}`;

const SCRIPT = JSON.stringify({
  default: "echo",
  nodes: {
    "refund/assess": [
      {
        chunks: PIECES,
        chunk_ms: 800,
        stdout: PIECES.join(""),
        tokens: { input: 1_200, output: 340 },
        cost_usd: 0.0042,
      },
    ],
    "broken/second": [{ fail: "provider_auth" }, { fail: "provider_auth" }, { stdout: "repaired" }],
    "broken/first": { stdout: "begun", tokens: { input: 1_200, output: 30 } },
    "each/one[1]": { fail: "provider_auth" },
    "endless/wait": [{ hang: true }],
    "hostile/evil": [{ chunks: [EVIL_TEXT.slice(0, 120)], stdout: EVIL_TEXT }],
    "each/list": [{ outputs: { items: ["a", "b", "c", "d"] }, stdout: "four" }],
  },
});

/**
 * Notes which lines of tables are drawn, as the tools of developers would: React notifies a hook of every tree it has
 * shown, and marks in it what it has drawn anew. What was left as it was is the same object as before.
 */
const DRAWN_ROWS = `
  let drawn = [];
  const look = (now) => {
    const line = now.child?.type === "tr" ? now.child.memoizedProps["data-key"] : undefined;
    if (line !== undefined && (now.flags & 1) !== 0) drawn.push(line);
    if (now.child === now.alternate?.child) return;
    for (let child = now.child; child !== null; child = child.sibling) look(child);
  };
  globalThis.__REACT_DEVTOOLS_GLOBAL_HOOK__ = {
    supportsFiber: true,
    inject: () => 1,
    onCommitFiberRoot: (_, root) => look(root.current),
    onCommitFiberUnmount: () => undefined,
    onPostCommitFiberRoot: () => undefined,
  };
  globalThis.sluiceDrawn = () => {
    const before = drawn;
    drawn = [];
    return before;
  };
`;

/** Counts pictures and long tasks from the first moment of the page. */
const WATCH = `
  const long = [];
  let pictures = 0;
  const begun = performance.now();
  new PerformanceObserver((list) => long.push(...list.getEntries().map(({ duration }) => Math.round(duration)))).observe({ type: "longtask", buffered: true });
  const draw = () => { pictures += 1; requestAnimationFrame(draw); };
  requestAnimationFrame(draw);
  globalThis.sluiceWatch = () => {
    const seconds = (performance.now() - begun) / 1000;
    return { seconds, perSecond: pictures / seconds, longTasks: long.length, longest: Math.max(0, ...long), long };
  };
`;

let site: Site;
let shared: Page | null = null;

beforeAll(async () => {
  site = await openSite(SCRIPT);
  for (const source of [REFUND, QUICK, BROKEN, ENDLESS, HOSTILE, EACH, FAMILY, NESTED, BIG])
    await site.api.save(source);
  await site.api.request("PUT", "policies/people-pay", {
    body: {
      ...PEOPLE_PAY,
      approvers: [{ who: "key:admin" }],
      reason: "A person lets money go",
    },
  });
});
afterAll(() => site.close());

const visit = (visited: Visit) => visitDuringTest(site, visited);

/** The page most of these use, one after the other: signing in anew for each takes longer than what they look at. */
async function open(path: string): Promise<Page> {
  if (shared === null) shared = await site.visit({ path });
  else await shared.goto(`${site.url}${path}`);
  return shared;
}

async function begin(workflow: string, args: object = {}): Promise<string> {
  const { status, body } = await site.api.request("POST", "runs", { body: { workflow, args } });
  expect(status).toBe(201);
  return body.id;
}

async function stateOf(runId: string): Promise<State> {
  return (await site.api.request("GET", `runs/${runId}/state`)).body;
}

/** The nodes on the canvas, each as `id status`. */
async function cardsOf(page: Page): Promise<readonly string[]> {
  return page.evaluate<string[]>(
    "[...document.querySelectorAll('.graph-card[data-node]')].map(({ dataset }) => `${dataset.node} ${dataset.status}`).sort()",
  );
}

/** What the page shows of a run, once it has folded as far as the server: the same statuses, whichever way it is looked at. */
async function expectProjection(page: Page, runId: string): Promise<void> {
  await soon(async () => {
    const state = await stateOf(runId);
    const event = await page.locator(".run-page").getAttribute("data-run-event");
    const shown = await cardsOf(page);
    const wanted = new Set(state.nodeResults.map(({ nodeId, status }) => `${nodeId} ${status}`));
    return Number(event) === state.lastEventId && shown.length > 0 && shown.every((each) => wanted.has(each));
  }).toBe(true);
}

/** Becomes true in time, however slow the machine. */
const soon = <T>(look: () => Promise<T> | T) => expect.poll(look);
const card = (page: Page, id: string) => page.locator(`.graph-card[data-node="${id}"]`);
const statusOfRun = (page: Page) => page.locator(".run-facts .badge").first();

describe("the run page", () => {
  it("follows a run: streaming, held by a policy, approved in context, completed", async () => {
    const page = await open("/runs");
    // What is streamed is shown only while it is: the run waits until somebody looks.
    await site.api.request("POST", "organisations/default/pause", { body: {} });
    const runId = await begin("refund");
    await page.goto(`${site.url}/runs/${runId}`);
    await card(page, "assess").click();
    await page.getByRole("complementary", { name: "Node assess" }).waitFor();
    await page.getByText("Live", { exact: true }).waitFor();
    await site.api.request("POST", "organisations/default/resume", { body: {} });
    await page.getByRole("region", { name: "Streamed text" }).filter({ hasText: "The customer" }).waitFor();
    await screenshot(page, "run-streaming-light");
    await page.locator('.graph-card[data-node="pay"][data-status="blocked"]').waitFor();
    await expectProjection(page, runId);
    await page.getByRole("button", { name: "1 approval waits" }).click();
    const approval = page.getByRole("region", { name: "Approval" });
    await approval.waitFor();
    await expect
      .poll(() => approval.textContent())
      .toContain("Pay Ada what The customer is owed exactly twelve dollars and an apology. says");
    await soon(() => page.locator(".gate-cell").count()).toBe(11);
    const overflow = "document.querySelector('.node-panel .tab-panel')";
    expect(await page.evaluate(`${overflow}.scrollWidth - ${overflow}.clientWidth`)).toBe(0);
    await expect
      .poll(() => page.locator(".gate-cell.is-decisive").getAttribute("aria-label"))
      .toBe("approval required: held");
    await screenshot(page, "run-held-light");
    expect(await violations(page)).toEqual([]);
    await approval.getByRole("button", { name: "Approve" }).click();
    await soon(() => statusOfRun(page).textContent()).toBe("Completed");
    await expectProjection(page, runId);
    const answer = page.locator(".node-section", { has: page.getByRole("heading", { name: "Approval", exact: true }) });
    await soon(() => answer.textContent()).toMatch(/Answerapproved.*By\S/);
    expect(page.url()).toContain("node=pay");
    await screenshot(page, "run-completed-light");
  });

  it("cancels a run, with a reason that is kept", async () => {
    const runId = await begin("endless");
    const page = await open(`/runs/${runId}`);
    await page.locator('.graph-card[data-node="wait"][data-status="running"]').waitFor();
    await page.getByRole("button", { name: "Cancel", exact: true }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByLabel(/Reason/).fill("It is not needed");
    await dialog.getByRole("button", { name: "Cancel the run" }).click();
    await soon(() => statusOfRun(page).textContent()).toBe("Cancelled");
    await expectProjection(page, runId);
    await page.keyboard.press("e");
    await soon(() => page.getByRole("listbox", { name: "Events" }).textContent()).toContain("It is not needed");
  });

  it("restarts from a node that failed, keeping what was done before it", async () => {
    const runId = await site.api.run("broken");
    const page = await open(`/runs/${runId}`);
    await page.locator('.graph-card[data-node="second"][data-status="failed"]').waitFor();
    // One failure, and what did not run because of it.
    await soon(() => page.locator(".run-counts").textContent()).toBe("1 completed1 failed1 not run");
    await expect.poll(() => card(page, "third").getAttribute("class")).toContain("graph-idle");
    await page.keyboard.press("x");
    await page.getByRole("region", { name: "Error message" }).waitFor();
    await page.getByRole("button", { name: "Restart from second" }).first().click();
    await page.getByRole("dialog").getByRole("button", { name: "Start the new run" }).click();
    await page.waitForURL((url) => !url.pathname.endsWith(runId));
    const next = new URL(page.url()).pathname.split("/").at(-1) ?? "";
    await site.api.settle(next);
    await expectProjection(page, next);
    await expect
      .poll(() => page.locator(".run-facts").textContent())
      .toMatch(/Restarted from.*Carried over1 of 3 nodes/);
    await card(page, "first").getByText("carried over").waitFor();
    expect((await stateOf(next)).nodeResults.map(({ status }) => status)[0]).toBe("completed");
  });

  it("continues after the server was away, and shows it meanwhile", async () => {
    const runId = await site.api.run("quick");
    const page = await open(`/runs/${runId}`);
    await page.locator('.graph-card[data-node="pay"][data-status="blocked"]').waitFor();
    await page.getByText("Live", { exact: true }).waitFor();
    await site.stop();
    await page
      .getByText(/Reconnecting|Offline/)
      .first()
      .waitFor();
    await screenshot(page, "run-reconnecting-light");
    // The run continues while no page is connected.
    const { body } = await site.api.request("GET", "approvals?status=pending&limit=1");
    const answer = await site.api.request("POST", `approvals/${body.data[0].id}/resolve`, {
      body: { decision: "approve" },
    });
    expect([answer.status, answer.body.runId]).toEqual([200, runId]);
    await site.api.settle(runId);
    expect(await statusOfRun(page).textContent()).not.toBe("Completed");
    await site.start();
    await soon(() => statusOfRun(page).textContent()).toBe("Completed");
    await expectProjection(page, runId);
  });

  it("shows hostile text as text", async () => {
    const runId = await site.api.run("hostile");
    const page = await open(`/runs/${runId}?node=evil`);
    await page.getByRole("tab", { name: "Result" }).click();
    const output = page.getByRole("region", { name: "Output text" });
    await output.waitFor();
    const text = (await output.textContent()) ?? "";
    expect(text).toContain(`<img src=x onerror="document.title='owned'"><script>`);
    expect(text).toContain("␛[31mred␛[0m ⟨U+202E⟩gnp.exe");
    expect(text.length).toBeLessThan(25_000);
    for (const tab of ["Overview", "Prompt", "Attempts", "Logs", "Lineage"])
      await page.getByRole("tab", { name: tab }).click();
    await page.keyboard.press("Escape");
    await page.keyboard.press("e");
    for (const mode of ["Full", "JSON", "Compact"]) await page.getByRole("button", { name: mode, exact: true }).click();
    await card(page, "next").click();
    await page.getByRole("tab", { name: "Prompt" }).click();
    await page.getByRole("region", { name: "Message" }).waitFor();
    expect(await page.title()).toBe("hostile · Sluice");
    await expect.poll(() => page.locator("#main img, #main script, #main iframe").count()).toBe(0);
    await screenshot(page, "run-hostile-light");
    expect(site.complaints).toEqual([]);
  });

  it("travels to any event by the same fold, and can be shared as an address", async () => {
    const runId = await site.api.run("broken");
    const page = await open(`/runs/${runId}`);
    await expectProjection(page, runId);
    const last = (await stateOf(runId)).lastEventId;
    for (const at of [1, 4, last - 1]) {
      await page.goto(`${site.url}/runs/${runId}?at=${at}&event=${at}&tab=events`);
      await card(page, "first").waitFor();
      const then: State = (await site.api.request("GET", `runs/${runId}/at/${at}`)).body;
      const wanted = then.nodeResults.map(({ nodeId, status }) => `${nodeId} ${status}`).sort();
      await soon(() => cardsOf(page)).toEqual(wanted);
    }
    await page.getByRole("complementary", { name: `Event ${last - 1}` }).waitFor();
    await screenshot(page, "run-travel-light");
    await page.goto(`${site.url}/runs/${runId}?at=2&tab=timeline`);
    await soon(() => page.locator(".run-facts").textContent()).toMatch(/Duration[\d.]+ ?m?s.*Tokens0 in · 0 out/);
    await expect.poll(() => page.locator(".timeline-row .span-execution").count()).toBe(0);
    await page.getByRole("button", { name: "Back to now" }).click();
    await soon(() => page.locator(".run-facts").textContent()).toContain("Tokens1,200 in · 30 out");
    await soon(() => page.locator(".timeline-row .span-execution").count()).toBe(2);
    await page.keyboard.press("n");
    await expectProjection(page, runId);
    expect(page.url()).not.toContain("at=");
  });

  it("rewinds to an event, and branches with other args", async () => {
    const runId = await site.api.run("hostile");
    const first = (await site.api.request("GET", `runs/${runId}/checkpoints`)).body.data[0].eventId as number;
    const page = await open(`/runs/${runId}?event=${first}&tab=events`);
    await page.getByRole("button", { name: "Rewind to here" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Rewind", exact: true }).click();
    await soon(async () => (await stateOf(runId)).lastEventId).toBeGreaterThan(first);
    await site.api.settle(runId);
    await expectProjection(page, runId);
    const refund = await begin("quick");
    await site.api.settle(refund);
    await page.goto(`${site.url}/runs/${refund}`);
    await page.getByRole("button", { name: "More" }).click();
    await page.getByRole("menuitem", { name: /^Branch/ }).click();
    const dialog = page.getByRole("dialog");
    await dialog
      .getByText("With these args: carried over: collect, assess, check_names; runs again: pay, letter.")
      .waitFor();
    await dialog.getByLabel("customer").fill("Linus");
    await dialog.getByText("With these args: nothing is carried over, every node runs again.").waitFor();
    await dialog.getByRole("button", { name: "Start the branch" }).click();
    await page.waitForURL((url) => !url.pathname.endsWith(refund));
    await page.getByText("A branch has started; nothing is carried over, every node runs again.").waitFor();
    const branch = new URL(page.url()).pathname.split("/").at(-1) ?? "";
    expect((await site.api.request("GET", `runs/${branch}`)).body.args).toEqual({ customer: "Linus" });
  });

  it("can be used with the keyboard alone, and read as a list", async () => {
    const runId = await site.api.run("each");
    const page = await open(`/runs/${runId}`);
    await expectProjection(page, runId);
    const graph = page.getByRole("group", { name: /^Graph of the run/ });
    await graph.focus();
    for (const key of ["ArrowRight", "ArrowRight", "Enter"]) await page.keyboard.press(key);
    await soon(() => new URL(page.url()).searchParams.get("node")).toBe("one");
    await card(page, "one")
      .getByText(/^1 failed/)
      .waitFor();
    await page.getByRole("button", { name: /4\/4/ }).click();
    await soon(() => page.locator(".graph-edge").count()).toBe(9);
    await expectProjection(page, runId);
    await screenshot(page, "run-each-light");
    await page.getByRole("button", { name: "List", exact: true }).click();
    await soon(() => page.getByRole("table", { name: "Nodes" }).getByRole("row").count()).toBe(8);
    expect(await violations(page)).toEqual([]);
  });

  it("leads from a node to the child run it started, also when it is over", async () => {
    const runId = await site.api.run("family");
    const page = await open(`/runs/${runId}?node=call`);
    await page.locator('.graph-card[data-node="call"][data-status="completed"]').waitFor();
    await card(page, "call").getByRole("link", { name: "Open the child run" }).click();
    await page.waitForURL((url) => !url.pathname.endsWith(runId));
    await expect.poll(() => page.locator(".run-facts").textContent()).toContain("Parent");
  });

  it("shows the steps of a block inside its node, however deep, and what comes last", async () => {
    const runId = await site.api.run("nested");
    const page = await open(`/runs/${runId}?node=prepare`);
    const inside = page.locator(".node-section .steps-inside").first();
    await inside.getByText("look").waitFor();
    await inside.getByText("Steps inside").click();
    await inside.getByText("dig").waitFor();
    await page.locator(".run-facts .steps-inside").getByText("report").waitFor();
    expect(await violations(page)).toEqual([]);
  });

  it("draws only those lines of the list anew whose nodes have changed", async () => {
    const page = await visitAlone(site, { path: "/runs" });
    await page.addInitScript(DRAWN_ROWS);
    const runId = await site.api.run("quick");
    await page.goto(`${site.url}/runs/${runId}`);
    await page.getByRole("button", { name: "List", exact: true }).click();
    const line = (id: string, status: string) =>
      page.locator(`.node-list tr[data-key="${id}"] [data-status="${status}"]`);
    await line("pay", "blocked").waitFor();
    await page.getByText("Live", { exact: true }).waitFor();
    await soon(() => page.locator(".run-page").getAttribute("data-run-event")).toBe(
      String((await stateOf(runId)).lastEventId),
    );
    expect(new Set(await page.evaluate<string[]>("sluiceDrawn()"))).toContain("collect");
    const { body } = await site.api.request("GET", "approvals?status=pending&limit=100");
    const asked = body.data.find((approval: { runId: string }) => approval.runId === runId);
    await site.api.request("POST", `approvals/${asked.id}/resolve`, { body: { decision: "approve" } });
    await line("letter", "completed").waitFor();
    expect(new Set(await page.evaluate<string[]>("sluiceDrawn()"))).toEqual(new Set(["pay", "letter"]));
  });

  it.each([
    ["light", 1280],
    ["dark", 390],
  ] as const)("is accessible in %s at %i", async (theme, width) => {
    const runId = await site.api.run("quick");
    const height = width === 390 ? 844 : 800;
    const page = await visit({
      theme,
      width,
      height,
      path: `/runs/${runId}?node=pay${width === 390 ? "&tab=graph" : ""}`,
    });
    await soon(() => page.locator(".graph-edge").count()).toBe(5);
    await expectProjection(page, runId);
    await screenshot(page, `run-${theme}-${width}`);
    expect(await violations(page)).toEqual([]);
    for (const tab of width === 390 ? ["Timeline", "Events", "Node"] : ["Events"]) {
      await page.getByRole("tab", { name: tab, exact: true }).click();
      await screenshot(page, `run-${tab.toLowerCase()}-${theme}-${width}`);
      expect(await violations(page, ".run-panes")).toEqual([]);
    }
    for (const tab of ["Prompt", "Attempts", "Lineage"]) {
      await page.getByRole("tab", { name: tab }).click();
      expect(await violations(page, ".node-panel")).toEqual([]);
    }
    await screenshot(page, `run-lineage-${theme}-${width}`);
    const isWider = await page.evaluate<boolean>("document.documentElement.scrollWidth > innerWidth");
    expect(isWider).toBe(false);
  });

  it("opens and follows a run of 2,000 nodes", async () => {
    const page = await visitAlone(site, { path: "/runs" });
    await page.addInitScript(WATCH);
    const runId = await begin("big");
    const from = performance.now();
    await page.goto(`${site.url}/runs/${runId}`);
    await page.locator(".graph-group").first().waitFor();
    const openedMs = Math.round(performance.now() - from);
    await screenshot(page, "run-big-live-light");
    await soon(() => statusOfRun(page).textContent()).toBe("Completed");
    const following = await page.evaluate<object>("sluiceWatch()");
    await soon(() => page.locator(".run-counts").textContent()).toBe("2,000 completed");
    await page.locator(".graph-group").first().click();
    await page.locator('.graph-card[data-status="completed"]').first().waitFor();
    // The opened group takes room, and the groups after it are moved.
    await soon(() => overlaps(page)).toEqual([]);
    await expectProjection(page, runId);
    await screenshot(page, "run-big-open-light");
    // However many there are, only what can be seen is in the page.
    expect(await page.locator(".graph-card").count()).toBeLessThan(100);
    expect(await page.locator(".timeline-row").count()).toBeLessThan(60);
    await page.keyboard.press("e");
    await page.locator(".event-row").first().waitFor();
    expect(await page.locator(".event-row").count()).toBeLessThan(60);
    await page.getByRole("button", { name: "Show the whole graph" }).click();
    await page.locator(".graph-backdrop.is-far").waitFor();
    await soon(() => page.locator(".graph-card").count()).toBe(0);
    await screenshot(page, "run-big-far-light");
    const again = performance.now();
    await page.reload();
    await page.locator(".graph-group").first().waitFor();
    const reopenedMs = Math.round(performance.now() - again);
    await soon(() => page.locator(".run-page").getAttribute("data-run-event")).toBe(
      String((await stateOf(runId)).lastEventId),
    );
    const reading = await page.evaluate<object>("sluiceWatch()");
    writeFileSync(
      join(import.meta.dirname, "screenshots", "run-big.json"),
      JSON.stringify({ openedMs, following, reopenedMs, reading }, null, 2),
    );
    expect(site.complaints).toEqual([]);
  });
});
