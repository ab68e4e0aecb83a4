/**
 * `npm run bench -- --inbox [APPROVALS] [--on postgres|embedded]`: how long a person waits at an inbox with many open
 * approvals, in Chromium: opening it, filters, search, and an answer to 200 of them in one request. Times are those of
 * the page, from the act to the drawn result.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { setTimeout as pause } from "node:timers/promises";
import { chromium, type Page } from "playwright-core";
import { startPostgres } from "../test/integration/support/postgres-instance.ts";
import { HEADERS, type Server, startServer } from "./server.ts";

export interface InboxPlan {
  readonly approvals: number;
  readonly on: "postgres" | "embedded";
}

const CONNECTIONS = 16;
const FLOWS = 20;
const ROUNDS = 7;
/** As many as one request may answer. */
const BULK_MAX = 200;
const OPEN_MS = 1_000;
const FILTER_MS = 200;
const PATIENCE_MS = 30_000;

/** Approvals of every second workflow differ in nothing but short args, so that they are grouped; others are not. */
function flowSource(index: number): string {
  return JSON.stringify({
    name: flowName(index),
    args: { who: { type: "string" }, note: { type: "string", default: "" } },
    steps: [
      { id: "draft", command: "Draft a letter to ${who}." },
      {
        id: "pay",
        name: `Pay invoice of \${who} from account ${index}?`,
        approval: "required",
        command: "Pay ${who}. ${note}",
        action: "read",
        depends_on: ["draft"],
        show: [{ label: "Letter", markdown: "draft.stdout" }, "For ${who}"],
      },
    ],
  });
}

function flowName(index: number): string {
  return `invoices-${String(index).padStart(2, "0")}`;
}

export async function measureInbox(root: string, plan: InboxPlan, print: (line: string) => void): Promise<void> {
  // Not compiled with this file, so that it is found in the checkout.
  const scripts = pathToFileURL(join(root, "scripts", "chromium.mjs")).href;
  const { CHROMIUM_MISSING, findChromium } = (await import(scripts)) as typeof import("../scripts/chromium.mjs");
  const executablePath = findChromium();
  if (executablePath === null) throw new Error(CHROMIUM_MISSING);
  const data = mkdtempSync(join(tmpdir(), "sluice-inbox-"));
  const postgres = plan.on === "postgres" ? await startPostgres({ fsync: true }) : null;
  const url = postgres?.url ?? null;
  const server = await startServer(root, join(data, "server"), { command: "up", url, connections: CONNECTIONS });
  const browser = await chromium.launch({ executablePath, args: ["--no-sandbox"] });
  try {
    await fill(server, plan.approvals, print);
    const page = await (await browser.newContext({ viewport: { width: 1_440, height: 900 } })).newPage();
    await page.goto(server.consoleUrl ?? server.url);
    await page.getByRole("heading", { level: 1 }).waitFor();
    await measurePage(server, page, plan, print);
  } finally {
    await browser.close();
    await server.stop();
    await postgres?.dispose();
    rmSync(data, { recursive: true, force: true });
  }
}

async function fill(server: Server, approvals: number, print: (line: string) => void): Promise<void> {
  for (let index = 0; index < FLOWS; index += 1) {
    await ask(server, "PUT", `/api/v1/workflows/${flowName(index)}`, { source: flowSource(index) });
  }
  let started = 0;
  const lane = async (): Promise<void> => {
    while (started < approvals) {
      started += 1;
      const flow = started % FLOWS;
      const note = flow % 2 === 0 ? "" : `${started} `.repeat(120);
      await ask(server, "POST", "/api/v1/runs", {
        workflow: flowName(flow),
        args: { who: `customer ${started}`, note },
      });
    }
  };
  await Promise.all(Array.from({ length: CONNECTIONS }, lane));
  while ((await waiting(server)) < approvals) await pause(200);
  print(`${approvals} approvals wait`);
}

async function waiting(server: Server): Promise<number> {
  return ((await ask(server, "GET", "/api/v1/approvals/counts")) as { waiting: number }).waiting;
}

/** Asked again when the server wants that. */
async function ask({ pool }: Server, method: "GET" | "PUT" | "POST", path: string, body?: object): Promise<unknown> {
  for (;;) {
    const sent = body === undefined ? {} : { body: JSON.stringify(body) };
    const reply = await pool.request({ method, path, headers: HEADERS, ...sent });
    const text = await reply.body.text();
    if (reply.statusCode < 300) return JSON.parse(text);
    if (reply.statusCode !== 429 && reply.statusCode !== 503) throw new Error(`${path}: ${reply.statusCode} ${text}`);
    await pause(100);
  }
}

interface Act {
  readonly name: string;
  readonly boundMs: number;
  /** What has to be open before the act. */
  readonly open?: (page: Page) => Promise<void>;
  /** One click, or one change of a field. */
  readonly act: (page: Page) => Promise<void>;
  /** An expression in the page that holds when the result is drawn. */
  readonly until: string;
}

const ENTRIES = "[...document.querySelectorAll('.inbox-item')]";
const ANY = "Any";

function choose(label: string, option: string): Pick<Act, "open" | "act"> {
  return {
    open: (page) => page.getByRole("combobox", { name: label, exact: true }).click(),
    act: (page) => page.getByRole("option", { name: option, exact: true }).click(),
  };
}

function search(text: string): Pick<Act, "act"> {
  return { act: (page) => page.getByRole("searchbox", { name: "Search approvals" }).fill(text) };
}

const MINE: Pick<Act, "act"> = { act: (page) => page.getByLabel("Only those I may answer").click() };

function actsOf({ approvals }: InboxPlan): readonly Act[] {
  const customer = `customer ${approvals}`;
  return [
    {
      name: "filter by workflow",
      boundMs: FILTER_MS,
      ...choose("Workflow", flowName(7)),
      until: `${ENTRIES}.length > 1 && ${ENTRIES}.every((item) => item.textContent.includes('${flowName(7)}'))`,
    },
    {
      name: "no filter again",
      boundMs: FILTER_MS,
      ...choose("Workflow", ANY),
      until: `${ENTRIES}.some((item) => !item.textContent.includes('${flowName(7)}'))`,
    },
    {
      name: "filter by who asks: none",
      boundMs: FILTER_MS,
      ...choose("Asked by", "Failure"),
      until: `${ENTRIES}.length === 0 && document.body.textContent.includes('No results')`,
    },
    {
      name: "no filter again",
      boundMs: FILTER_MS,
      ...choose("Asked by", ANY),
      until: `${ENTRIES}.length > 1`,
    },
    {
      name: "search for one",
      boundMs: FILTER_MS,
      ...search(customer),
      until: `${ENTRIES}.length === 1 && ${ENTRIES}[0].textContent.includes('${customer}')`,
    },
    {
      name: "no search again",
      boundMs: FILTER_MS,
      ...search(""),
      until: `${ENTRIES}.length > 1`,
    },
    {
      name: "only those I may answer",
      boundMs: FILTER_MS,
      ...MINE,
      until: `location.search.includes('mine=true') && ${ENTRIES}.length > 1 && !document.querySelector('.skeleton')`,
    },
    {
      name: "all again",
      boundMs: FILTER_MS,
      ...MINE,
      until: `!location.search.includes('mine=true') && ${ENTRIES}.length > 1 && !document.querySelector('.skeleton')`,
    },
  ];
}

/** The time within the page, from the click or the change to the frame in which the result is drawn. */
async function timeOf(page: Page, { name, open, act, until }: Act): Promise<number> {
  await open?.(page);
  const taken = page.evaluate<number>(`new Promise((resolve, reject) => {
    const begin = () => {
      for (const type of ['pointerdown', 'input']) removeEventListener(type, begin, true);
      const began = performance.now();
      const look = () => {
        const passed = performance.now() - began;
        if (${until}) resolve(passed);
        else if (passed > ${PATIENCE_MS}) reject(new Error('${name}: the page did not show it'));
        else requestAnimationFrame(look);
      };
      requestAnimationFrame(look);
    };
    for (const type of ['pointerdown', 'input']) addEventListener(type, begin, true);
  })`);
  await act(page);
  return taken;
}

async function measurePage(server: Server, page: Page, plan: InboxPlan, print: (line: string) => void): Promise<void> {
  const address = `${server.url}/o/default/approvals`;
  const opens: number[] = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    const before = performance.now();
    await page.goto(address, { waitUntil: "commit" });
    await page.locator(".inbox-item").nth(3).waitFor();
    await page.getByText("What exactly will happen").first().waitFor();
    opens.push(performance.now() - before);
  }
  print(lineOf("open", opens, OPEN_MS));
  await page.locator('[data-live="live"]').waitFor();
  const acts = actsOf(plan);
  const times = new Map(acts.map((act) => [act, [] as number[]]));
  for (let round = 0; round < ROUNDS; round += 1) {
    for (const act of acts) {
      // As a person does: what was shown before is not asked for at the very moment.
      await pause(1_000);
      times.get(act)?.push(await timeOf(page, act));
    }
  }
  for (const [{ name, boundMs }, taken] of times) print(lineOf(name, taken, boundMs));
  await measureBulk(server, page, plan, print);
}

async function measureBulk(server: Server, page: Page, plan: InboxPlan, print: (line: string) => void): Promise<void> {
  const bulk = Math.min(BULK_MAX, Math.floor(plan.approvals / FLOWS));
  const requests: string[] = [];
  page.on("request", (request) => {
    if (request.url().includes("/resolve")) requests.push(request.url());
  });
  await page
    .locator(".inbox-item", { hasText: flowName(2) })
    .first()
    .click();
  await page.getByRole("button", { name: `Approve ${bulk} …` }).click();
  await page.getByLabel(/^Type/).fill(String(bulk));
  const before = performance.now();
  await page.getByRole("button", { name: `Approve ${bulk}`, exact: true }).click();
  await page.getByText(`Approved: ${bulk} of ${bulk}`).waitFor({ timeout: 60_000 });
  const taken = performance.now() - before;
  const left = await waiting(server);
  print(
    `${`answer to ${bulk}`.padEnd(28)} ${taken.toFixed(0)} ms, ${requests.length} request, ${plan.approvals - left} answered`,
  );
  print(`${"audited".padEnd(28)} ${await audited(server, bulk)} answers`);
}

/** Entries are sealed a moment after their commit. */
async function audited(server: Server, wanted: number): Promise<number> {
  for (let tries = 0; ; tries += 1) {
    let count = 0;
    let cursor = "";
    do {
      const path = `/api/v1/audit?type=approval.resolved&limit=100${cursor}`;
      const page = (await ask(server, "GET", path)) as { data: unknown[]; nextCursor?: string };
      count += page.data.length;
      cursor = page.nextCursor === undefined ? "" : `&cursor=${encodeURIComponent(page.nextCursor)}`;
    } while (cursor !== "");
    if (count >= wanted || tries > 50) return count;
    await pause(200);
  }
}

function lineOf(name: string, taken: readonly number[], boundMs: number): string {
  const sorted = taken.toSorted((left, right) => left - right);
  const median = sorted[Math.floor(sorted.length / 2)] ?? 0;
  const worst = sorted.at(-1) ?? 0;
  const share = (median / boundMs).toFixed(2);
  return `${name.padEnd(28)} ${median.toFixed(0)} ms, worst ${worst.toFixed(0)} ms; ${share} of ${boundMs} ms`;
}
