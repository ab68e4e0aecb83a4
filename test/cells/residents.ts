import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { movedTables, type Sql } from "../../src/store/index.ts";
import type { Api } from "../integration/support/api.ts";
import { waitFor } from "../integration/support/waiting.ts";

/** Workflows of an organisation that has been there for long; none of them calls an adapter. */
const WORKFLOWS = {
  kept: "name: kept\nsteps:\n  - {id: note, set: {sum: {expr: 1 + 1}}}\n",
  slot: "name: slot\nsteps:\n  - {id: note, set: {sum: {expr: 1 + 1}}}\n",
  asleep:
    "name: asleep\nsteps:\n  - {id: rest, wait: {event: wake}}\n  - {id: up, set: {it: yes}, depends_on: [rest]}\n",
  napping: "name: napping\nsteps:\n  - {id: nap, wait: 60s}\n  - {id: up, set: {it: yes}, depends_on: [nap]}\n",
} as const;
export const RESIDENT_WORKFLOWS = Object.keys(WORKFLOWS);

const LANES = 24;
/** One of so many runs waits for an event, and one for a timer. */
const OPEN_EVERY = 50;
const SLOT_SECONDS = 10;
/** So many of those that have ended are started; the others are made like them in the database. */
const STARTED = 200;

/** The receiver of an organisation's webhook: which message came for which run. */
interface Receiver {
  readonly url: string;
  readonly messages: ReadonlyMap<string, ReadonlySet<string>>;
  close(): void;
}

/** What an organisation has besides the load on it: history, runs that wait, a schedule and a webhook. */
export class Residents {
  readonly #api: Api;
  readonly #runs: number;
  readonly #receiver: Receiver;
  readonly #waiting: string[] = [];

  private constructor(api: Api, runs: number, receiver: Receiver) {
    this.#api = api;
    this.#runs = runs;
    this.#receiver = receiver;
  }

  static async settle(api: Api, sql: Sql, orgId: string, runs: number): Promise<Residents> {
    for (const [name, source] of Object.entries(WORKFLOWS)) await api.putWorkflow(name, source);
    const residents = new Residents(api, runs, await openReceiver());
    const all = Array.from({ length: runs }, (_, index) => index);
    const kept = all.filter((index) => workflowOf(index) === "kept");
    await residents.#start(kept.slice(0, STARTED));
    const haveEnded = async (): Promise<boolean> => (await countOpen(sql, orgId)) === 0;
    await waitFor("the first runs to end", haveEnded, { everyMs: 500 });
    await multiply(sql, orgId, kept.length - Math.min(kept.length, STARTED));
    const { url } = residents.#receiver;
    await api.put("/webhooks/ops", { url, events: ["run.completed"] });
    // After the webhook, which wants a message when one of them ends.
    await residents.#start(all.filter((index) => workflowOf(index) !== "kept"));
    const slots = { workflow: "slot", every_seconds: SLOT_SECONDS, overlap: "allow", missed: "backfill" };
    await api.put("/schedules/slots", slots);
    return residents;
  }

  async #start(indexes: readonly number[]): Promise<void> {
    const left = [...indexes];
    const lane = async (): Promise<void> => {
      for (let index = left.pop(); index !== undefined; index = left.pop()) {
        const workflow = workflowOf(index);
        const { id } = await this.#api.startRun(workflow, `resident-${index}`);
        if (workflow !== "kept") this.#waiting.push(id);
      }
    };
    await Promise.all(Array.from({ length: LANES }, lane));
  }

  /** Wakes those that wait, and says what is wrong with any of them. */
  async judge(sql: Sql, orgId: string): Promise<readonly string[]> {
    await this.#api.put("/schedules/slots", { workflow: "slot", every_seconds: SLOT_SECONDS, enabled: false });
    await this.#api.sendEvent({ id: "wake-all", type: "wake" });
    await waitFor("those that wait to end", async () => (await countOpen(sql, orgId)) === 0, { everyMs: 500 });
    const found = [...(await this.#judgeCounts(sql, orgId)), ...(await judgeSlots(sql, orgId))];
    const missing = (): readonly string[] => this.#waiting.filter((id) => !this.#receiver.messages.has(id));
    await waitFor("all messages", async () => missing().length === 0, { everyMs: 500 }).catch(() =>
      found.push(`the webhook was not sent for ${missing().length} runs, among them ${missing()[0]}`),
    );
    for (const [runId, ids] of this.#receiver.messages) {
      if (ids.size > 1) found.push(`the webhook was sent for ${runId} under ${ids.size} ids`);
    }
    return found;
  }

  async #judgeCounts(sql: Sql, orgId: string): Promise<readonly string[]> {
    const rows = await sql.query<{ workflow: string; status: string; n: number }>(
      {
        name: "",
        text: `select r.workflow, h.status, count(*)::int as n from runs r join run_heads h using (org_id, run_id)
          where org_id = $1 and r.workflow in ('kept', 'asleep', 'napping') group by 1, 2`,
      },
      [orgId],
    );
    const count = new Map(rows.map(({ workflow, status, n }) => [`${workflow} ${status}`, n]));
    const wanted = new Map<string, number>();
    for (let index = 0; index < this.#runs; index += 1) {
      const name = `${workflowOf(index)} completed`;
      wanted.set(name, (wanted.get(name) ?? 0) + 1);
    }
    return [...new Set([...count.keys(), ...wanted.keys()])].flatMap((name) =>
      count.get(name) === wanted.get(name) ? [] : [`${name}: ${count.get(name) ?? 0} and not ${wanted.get(name) ?? 0}`],
    );
  }

  close(): void {
    this.#receiver.close();
  }
}

function workflowOf(index: number): keyof typeof WORKFLOWS {
  if (index % OPEN_EVERY === 0) return "asleep";
  return index % OPEN_EVERY === 1 ? "napping" : "kept";
}

/** Of each table one row per run, as the runs that have ended left them; under ids and keys of their own. */
async function multiply(sql: Sql, orgId: string, count: number): Promise<void> {
  const tables = (await movedTables(sql)).filter(({ name }) => MULTIPLIED.includes(name));
  for (const { name, columns } of tables) {
    const values = columns.map((column) =>
      column === "run_id"
        ? "left(t.run_id, 14) || lpad(n::text, 16, '0')"
        : column === "key"
          ? "'made-' || n"
          : `t.${column}`,
    );
    const text = `insert into ${name} (${columns.join(", ")})
      with made as (select row_number() over (order by run_id) - 1 as place, run_id from runs where org_id = $1 and workflow = 'kept')
      select ${values.join(", ")} from generate_series(1, $2::int) n
        join made on made.place = n % (select count(*) from made) join ${name} t on t.run_id = made.run_id`;
    await sql.query({ name: "", text }, [orgId, count]);
  }
}

/** The runs last, by which the others are found. */
const MULTIPLIED: readonly string[] = [
  "event_blocks",
  "idempotency_keys",
  "run_facets",
  "run_heads",
  "run_words",
  "runs",
];

async function countOpen(sql: Sql, orgId: string): Promise<number> {
  const text =
    "select count(*)::int as n from run_heads where org_id = $1 and status in ('queued', 'running', 'recovered')";
  return (await sql.query<{ n: number }>({ name: "", text }, [orgId]))[0]?.n ?? 0;
}

/** Each slot has started one run, and none is left out between the first and the last. */
async function judgeSlots(sql: Sql, orgId: string): Promise<readonly string[]> {
  const rows = await sql.query<{ slot_at: number; state: string; run_id: string | null }>(
    { name: "", text: "select slot_at, state, run_id from schedule_slots where org_id = $1 order by slot_at" },
    [orgId],
  );
  const found: string[] = [];
  if (rows.length < 2) found.push(`the schedule had ${rows.length} slots`);
  for (const [index, { slot_at: at, state, run_id: runId }] of rows.entries()) {
    if (state !== "started" || runId === null) found.push(`the slot of ${new Date(at).toISOString()} is ${state}`);
    const before = rows[index - 1];
    if (before !== undefined && at - before.slot_at !== SLOT_SECONDS * 1_000)
      found.push(`no slot between ${new Date(before.slot_at).toISOString()} and ${new Date(at).toISOString()}`);
  }
  const text = "select count(*)::int as n from runs where org_id = $1 and workflow = 'slot'";
  const runs = (await sql.query<{ n: number }>({ name: "", text }, [orgId]))[0]?.n;
  if (runs !== rows.length) found.push(`${rows.length} slots have started ${runs} runs`);
  return found;
}

async function openReceiver(): Promise<Receiver> {
  const messages = new Map<string, Set<string>>();
  const server = createServer((request, response) => {
    let text = "";
    request.setEncoding("utf8");
    request.on("data", (chunk: string) => (text += chunk));
    request.on("end", () => {
      const { data } = JSON.parse(text) as { readonly data: { readonly runId: string } };
      messages.set(data.runId, (messages.get(data.runId) ?? new Set()).add(String(request.headers["webhook-id"])));
      response.end();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}/`, messages, close: () => void server.close() };
}
