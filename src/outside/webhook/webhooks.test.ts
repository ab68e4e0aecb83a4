import { createServer, type IncomingHttpHeaders, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { Webhook } from "standardwebhooks";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { creation, share } from "../../../test/contracts/shares.ts";
import { AuditTrail } from "../../audit/index.ts";
import type { Clock } from "../../clock/index.ts";
import { auditEntry, entriesOfEvents } from "../../core/audit/index.ts";
import type { JsonObject } from "../../core/base/index.ts";
import type { RunEvent } from "../../core/event/index.ts";
import { createAllowList } from "../../outbound/index.ts";
import { sealSecrets, secretPlace } from "../../seal/index.ts";
import { createMemoryStore, type DeliveryRecord, type Store } from "../../store/index.ts";
import { noticeMessage, type OpenedDeliveries, openDeliveries, DELIVERY_RETRY_MS } from "../delivery/index.ts";
import { deliveriesTo } from "./deliveries-to.ts";
import { newHookSecret } from "./signature.ts";
import { webhookTargets } from "./webhook-target.ts";
import { secretsOver } from "../../../test/secrets/secrets-over.ts";

const ORG = "org_1";
const START = 1_800_000_000_000;

interface Received {
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
  readonly body: { readonly type: string; readonly timestamp: string; readonly data: JsonObject };
}

let now = START;
let store: Store;
let trail: AuditTrail;
let server: Server;
let received: Received[];
/** What the receiver answers; the last one stays. */
let answers: number[];
let location: string | undefined;
let troubles: string[];
let stillness: Clock;

const box = {
  seal: (text: string, place: string) => `${place}|${text}`,
  open: (sealed: string, place: string) =>
    sealed.startsWith(`${place}|`) ? sealed.slice(place.length + 1) : undefined,
};

beforeEach(async () => {
  now = START;
  received = [];
  answers = [204];
  location = undefined;
  troubles = [];
  // Nothing happens by itself: tests make the rounds.
  stillness = { now: () => now, after: () => () => undefined };
  store = createMemoryStore({ now: () => now });
  trail = new AuditTrail({ store, now: () => now });
  server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      const text = Buffer.concat(chunks).toString("utf8");
      received.push({ headers: request.headers, text, body: JSON.parse(text) as Received["body"] });
      const status = (answers.length > 1 ? answers.shift() : answers[0]) ?? 204;
      response.writeHead(status, location === undefined ? {} : { location }).end();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
});
afterEach(() => new Promise((resolve) => server.close(resolve)));

const portOf = (): number => (server.address() as AddressInfo).port;
const urlOf = (): string => `http://127.0.0.1:${portOf()}/in`;

function open(on: Store = store, allowed: readonly string[] = [`127.0.0.1:${portOf()}`]): OpenedDeliveries {
  const allow = createAllowList(allowed);
  if (!allow.ok) throw new Error(allow.failure);
  const onTrouble = (what: string, error: unknown): number => troubles.push(`${what}: ${String(error)}`);
  const clock = stillness;
  const kinds = [webhookTargets({ secrets: secretsOver(on, box), clock, reach: { allow: allow.value } })];
  return openDeliveries({ store: on, kinds, clock, onTrouble });
}

async function register(id: string, parts: JsonObject = {}, secret?: string): Promise<void> {
  const body = { url: urlOf(), events: ["*"], enabled: true, ...parts };
  const secrets = secret === undefined ? {} : { secret };
  const sealed = sealSecrets(box, secretPlace(ORG, "webhook", id), secrets);
  await store.applyEntries(ORG, [{ change: "put", kind: "webhook", id, body, secrets: sealed }], now);
}

const logged = (eventId: number, at = now): RunEvent => ({
  eventId,
  at,
  type: "node.log",
  payload: { nodeId: "a", level: "info", message: `event ${eventId}` },
});
const ended = (eventId: number): RunEvent => ({
  eventId,
  at: now,
  type: "run.completed",
  payload: { counts: {}, costMicros: 5 } as never,
});
const delta = (eventId: number): RunEvent => ({
  eventId,
  at: now,
  type: "node.stream.delta",
  payload: { nodeId: "a", attempt: 1, deltaIndex: 1, text: "x" },
});

const begin = (runId: string, events: readonly RunEvent[]): Promise<unknown> =>
  store.commit([creation(runId, { createdAt: now }, { events: [...events] })]);
const types = (): string[] => received.map(({ body }) => body.type);
const listed = async (id = "ops"): Promise<readonly DeliveryRecord[]> =>
  (await store.listDeliveries(ORG, id, { limit: 100, cursor: null })).data;

async function seal(): Promise<void> {
  for await (const _ of trail.sealAll(ORG)) continue;
}

describe("webhooks", () => {
  it("are sent what happened, signed so that receivers can check it", async () => {
    const secret = newHookSecret();
    const webhooks = open();
    await register("ops", { events: ["run.*", "node.log"] }, secret);
    await webhooks.round();
    await begin("run_1", [logged(1), delta(2), ended(3)]);
    webhooks.onCommitted("run_1", [logged(1)]);
    await webhooks.round();
    expect(types().sort()).toEqual(["node.log", "run.completed"]);
    const [message] = received.filter(({ body }) => body.type === "run.completed");
    expect(message?.body).toMatchObject({
      timestamp: new Date(START).toISOString(),
      data: {
        eventId: 3,
        sequence: 3,
        type: "run.completed",
        runId: "run_1",
        workflowId: "triage",
        payload: { costMicros: 5 },
      },
    });
    expect(message?.headers).toMatchObject({ "content-type": "application/json", "user-agent": "sluice-webhooks" });
    const oracle = new Webhook(secret);
    for (const { headers, text } of received) {
      const stamp = new Date(Number(headers["webhook-timestamp"]) * 1_000);
      expect(stamp.getTime()).toBe(START);
      expect(headers["webhook-signature"]).toBe(oracle.sign(String(headers["webhook-id"]), stamp, text));
    }
    expect((await listed()).map(({ state, attempts, lastStatus }) => [state, attempts, lastStatus])).toEqual([
      ["delivered", 1, 204],
      ["delivered", 1, 204],
    ]);
    await webhooks.round();
    expect(received).toHaveLength(2);
    expect(troubles).toEqual([]);
  });

  it("are sent what steps emit, under its own type to those who name that", async () => {
    const emitted = (eventId: number, type: string): RunEvent => ({
      eventId,
      at: now,
      type: "event.emitted",
      payload: { nodeId: "a", id: `e${eventId}`, type, key: {}, data: { amount: 5 } },
    });
    const webhooks = open();
    await register("ops", { events: ["order.paid", "run.failed"] });
    await register("all", { events: ["event.*", "order.paid"] });
    await webhooks.round();
    const events = [emitted(1, "order.paid"), emitted(2, "order.sent"), ended(3)];
    await begin("run_1", events);
    webhooks.onCommitted("run_1", events);
    await webhooks.round();
    const sent = async (id: string): Promise<string[]> => (await listed(id)).map(({ type }) => type).sort();
    expect([await sent("ops"), await sent("all")]).toEqual([["order.paid"], ["event.emitted", "event.emitted"]]);
    const [message] = received.filter(({ body }) => body.type === "order.paid");
    expect(message?.body.data).toMatchObject({ runId: "run_1", payload: { id: "e1", data: { amount: 5 } } });
  });

  it("are signed with every secret while they are rotated, and with none when they have none", async () => {
    const [old, fresh] = [newHookSecret(), newHookSecret()];
    const webhooks = open();
    await register("both", { events: ["run.completed"] }, `${fresh} ${old}`);
    await register("none", { events: ["run.completed"] });
    await webhooks.round();
    await begin("run_1", [ended(1)]);
    webhooks.onCommitted("run_1", [ended(1)]);
    await webhooks.round();
    const signatures = received.map(({ headers }) =>
      String(headers["webhook-signature"] ?? "")
        .split(" ")
        .filter(Boolean),
    );
    expect(new Set(signatures.map(({ length }) => length))).toEqual(new Set([0, 2]));
  });

  it("are signed with a registered secret, the one of the moment, and with none outside its scopes", async () => {
    const [old, fresh] = [newHookSecret(), newHookSecret()];
    const webhooks = open();
    const set = async (value: string, scopes: readonly string[]): Promise<void> => {
      const secrets = sealSecrets(box, secretPlace(ORG, "secret", "signing"), { value });
      await store.applyEntries(ORG, [{ change: "put", kind: "secret", id: "signing", body: { scopes }, secrets }], now);
    };
    await set(old, ["webhook:ops"]);
    await register("ops", { events: ["run.completed"] }, "secret://signing");
    await webhooks.round();
    for (const [run, value] of [
      ["run_1", old],
      ["run_2", fresh],
    ] as const) {
      await set(value, ["webhook:ops"]);
      await begin(run, [ended(1)]);
      webhooks.onCommitted(run, [ended(1)]);
      await webhooks.round();
      const message = received.at(-1);
      const id = String(message?.headers["webhook-id"]);
      const signed = new Webhook(value).sign(id, new Date(START), message?.text ?? "");
      expect(message?.headers["webhook-signature"]).toBe(signed);
    }
    await set(fresh, ["webhook:other"]);
    await begin("run_3", [ended(1)]);
    webhooks.onCommitted("run_3", [ended(1)]);
    await webhooks.round();
    expect(received).toHaveLength(2);
    const [newest] = await listed();
    expect(newest).toMatchObject({
      state: "given_up",
      lastError: expect.stringContaining("secret_out_of_scope") as string,
    });
  });

  it("get nothing from before they were registered, and cost nothing while there are none", async () => {
    const asked: string[] = [];
    const watched = new Proxy(store, {
      get: (target, name: keyof Store) => {
        asked.push(name);
        return target[name];
      },
    });
    const webhooks = open(watched);
    await webhooks.round();
    await begin("run_1", [logged(1), logged(2)]);
    asked.length = 0;
    webhooks.onCommitted("run_1", [logged(1)]);
    expect(asked).toEqual([]);
    await webhooks.round();
    expect(asked).toEqual(["configVersions"]);
    now += 1_000;
    await register("ops");
    await store.commit([share("run_1", 1, [logged(3, now - 1), logged(4)])]);
    await webhooks.round();
    now += 10_000;
    await webhooks.round();
    expect(received.map(({ body }) => body.data["eventId"])).toEqual([4]);
  });

  it("get what nodes of a block do, and nothing of it as a run", async () => {
    await register("ops");
    const webhooks = open();
    await webhooks.round();
    now += 1;
    const events = [logged(1), ended(2)];
    await store.commit([creation("run_1_000004", { createdAt: now, block: "each" }, { events })]);
    await begin("run_1", [logged(1), ended(2)]);
    for (const runId of ["run_1_000004", "run_1"]) webhooks.onCommitted(runId, events);
    await webhooks.round();
    const got = received.map(({ body: { type, data } }) => [data["runId"], type]);
    expect(got).toHaveLength(3);
    expect(got).toEqual(
      expect.arrayContaining([
        ["run_1", "node.log"],
        ["run_1", "run.completed"],
        ["run_1_000004", "node.log"],
      ]),
    );
  });

  it("get from the audit what runs do not log, each thing once", async () => {
    const webhooks = open();
    await register("ops", { events: ["run.*", "platform.changed"] });
    await webhooks.round();
    const events = [ended(1)];
    const audit = entriesOfEvents({ runId: "run_1", startedBy: null }, events);
    await store.commit([creation("run_1", {}, { events, audit })]);
    const closed = auditEntry({ at: now, type: "platform.changed", actor: "key", resource: "platform", detail: {} });
    await store.putPlatform(ORG, { isOpen: false, reason: null }, [closed, { ...closed, at: START - 1 }]);
    await seal();
    await webhooks.round();
    await webhooks.round();
    expect(types().sort()).toEqual(["platform.changed", "run.completed", "run.finished"]);
    const finished = received.find(({ body }) => body.type === "run.finished");
    expect(finished?.body.data).toMatchObject({
      org: ORG,
      run: "run_1",
      type: "run.finished",
      detail: { status: "completed" },
    });
  });

  it("get what happens before there is a run, which no event holds", async () => {
    const webhooks = open();
    await register("ops", { events: ["approval.*"] });
    await register("deaf", { events: ["run.*"] });
    await register("off", { events: ["*"], enabled: false });
    await webhooks.round();
    const launch = { at: now, actor: "key", resource: "approval/apr_1", detail: { approvalId: "apr_1" } };
    const asked = auditEntry({ ...launch, type: "approval.requested" });
    const ofNode = auditEntry({ ...launch, type: "approval.escalated", run: "run_1", node: "a" });
    await store.appendAudit(ORG, [asked, ofNode]);
    await seal();
    const reminder = noticeMessage("approval.reminded", "launch/apr_1/normal", now, { approvalId: "apr_1" });
    const deliveries = await deliveriesTo(store, ORG, reminder);
    expect(deliveries.map(({ targetId }) => targetId)).toEqual(["ops"]);
    await store.addDeliveries(deliveries);
    await webhooks.round();
    expect(types().sort()).toEqual(["approval.reminded", "approval.requested"]);
  });

  it("lose nothing when a process dies after the commit, and find it by the audit or by looking", async () => {
    const first = open();
    await register("ops", { events: ["run.completed", "node.log"] });
    await first.round();
    // These commits are not announced: the process that made them is gone.
    const events = [logged(1), ended(2)];
    const audit = entriesOfEvents({ runId: "run_1", startedBy: null }, events);
    const head = { status: "completed", endedAt: now } as const;
    await store.commit([creation("run_1", {}, { events, audit, head })]);
    await begin("run_2", [logged(1)]);
    await seal();
    const second = open();
    await second.round();
    expect(types().sort()).toEqual(["node.log", "run.completed"]);
    now += 10_000;
    await second.round();
    expect(received.map(({ body }) => body.data["runId"] as string).sort()).toEqual(["run_1", "run_1", "run_2"]);
  });

  it("deliver what was fed before a process died, under the same id", async () => {
    const first = open();
    await register("ops", { events: ["run.completed"] });
    await first.round();
    await begin("run_1", [ended(1)]);
    // It dies with the message claimed: whether it arrived is unknown.
    const dying = new Proxy(store, {
      get: (target, name: keyof Store) =>
        name === "settleDelivery" ? () => Promise.reject(new Error("killed")) : target[name],
    });
    const killed = open(dying);
    await killed.round();
    killed.onCommitted("run_1", [ended(1)]);
    await killed.round();
    expect(received).toHaveLength(1);
    const second = open();
    await second.round();
    expect(received).toHaveLength(1);
    now += 60_000;
    await second.round();
    expect(received).toHaveLength(2);
    expect(new Set(received.map(({ headers }) => headers["webhook-id"])).size).toBe(1);
    expect(received[0]?.text).toBe(received[1]?.text);
    expect(await listed()).toMatchObject([{ state: "delivered", attempts: 1 }]);
  });

  it("are sent each message once by any number of replicas", async () => {
    const replicas = [open(), open(), open()];
    await register("ops", { events: ["node.log"] });
    await register("too", { events: ["node.log"] });
    for (const replica of replicas) await replica.round();
    for (let run = 0; run < 10; run += 1) {
      await begin(`run_${run}`, [logged(1), logged(2)]);
      for (const replica of replicas) replica.onCommitted(`run_${run}`, [logged(1)]);
    }
    await Promise.all(replicas.map((replica) => replica.round()));
    await Promise.all(replicas.map((replica) => replica.round()));
    for (let rest = 0; rest < 3; rest += 1) await replicas[0]?.round();
    expect(received).toHaveLength(40);
    expect(new Set(received.map(({ headers }) => headers["webhook-id"])).size).toBe(40);
  });

  it("are tried again after 5 s, 5 min, 30 min, 2 h, 5 h and 10 h, and then given up", async () => {
    const webhooks = open();
    await register("ops", { events: ["run.completed"] });
    await webhooks.round();
    answers = [500];
    await begin("run_1", [ended(1)]);
    webhooks.onCommitted("run_1", [ended(1)]);
    await webhooks.round();
    expect(DELIVERY_RETRY_MS.map((ms) => ms / 1_000)).toEqual([5, 300, 1_800, 7_200, 18_000, 36_000]);
    for (const [index, ms] of DELIVERY_RETRY_MS.entries()) {
      expect(received).toHaveLength(index + 1);
      expect(await listed()).toMatchObject([
        { state: "failed", attempts: index + 1, lastStatus: 500, nextAt: now + ms },
      ]);
      now += ms - 1;
      await webhooks.round();
      expect(received).toHaveLength(index + 1);
      now += 1;
      await webhooks.round();
    }
    expect(await listed()).toMatchObject([
      { state: "given_up", attempts: 7, nextAt: null, lastError: "It answered 500." },
    ]);
    const [delivery] = await listed();
    answers = [503, 200];
    now += 1_000;
    await store.redeliver(ORG, "ops", delivery?.id ?? "");
    await webhooks.round();
    expect(await listed()).toMatchObject([{ state: "failed", attempts: 1 }]);
    now += 5_000;
    await webhooks.round();
    expect(await listed()).toMatchObject([{ state: "delivered", attempts: 2, lastError: null }]);
    expect(new Set(received.map(({ headers }) => headers["webhook-id"])).size).toBe(1);
    expect(new Set(received.map(({ headers }) => headers["webhook-timestamp"])).size).toBe(received.length);
  });

  it("that answer 410 are disabled, and what waited for them is given up", async () => {
    const webhooks = open();
    await register("ops", { events: ["node.log"] });
    await webhooks.round();
    answers = [500, 410];
    await begin("run_1", [logged(1)]);
    webhooks.onCommitted("run_1", [logged(1)]);
    await webhooks.round();
    await store.commit([share("run_1", 1, [logged(2)])]);
    webhooks.onCommitted("run_1", [logged(2)]);
    await webhooks.round();
    expect(await store.getEntry(ORG, "webhook", "ops")).toMatchObject({ body: { enabled: false } });
    expect((await listed()).map(({ state }) => state)).toEqual(["given_up", "given_up"]);
    await seal();
    const { data } = await store.listAudit(ORG, { type: "config.applied" }, { limit: 9, cursor: null });
    expect(data).toMatchObject([{ actor: "sluice", resource: "webhook/ops", detail: { fields: ["enabled"] } }]);
    now += 100_000;
    await store.commit([share("run_1", 2, [logged(3)])]);
    await webhooks.round();
    expect(received).toHaveLength(2);
    now += 1;
    await register("ops", { events: ["node.log"] });
    now += 100_000;
    await store.commit([share("run_1", 3, [logged(4)])]);
    answers = [204];
    await webhooks.round();
    now += 10_000;
    await webhooks.round();
    expect(received.map(({ body }) => body.data["eventId"])).toEqual([1, 2, 4]);
  });

  it("are reached only at public addresses, and redirects are not followed", async () => {
    const webhooks = open(store, []);
    const addresses = [
      urlOf(),
      `http://[::1]:${portOf()}/`,
      "http://169.254.169.254/latest/meta-data",
      "http://localhost/",
      "http://10.0.0.1/",
      "http://[::ffff:127.0.0.1]/",
      "http://user:pass@example.com/",
    ];
    for (const [index, url] of addresses.entries()) await register(`w${index}`, { url, events: ["run.completed"] });
    await webhooks.round();
    await begin("run_1", [ended(1)]);
    webhooks.onCommitted("run_1", [ended(1)]);
    await webhooks.round();
    expect(received).toEqual([]);
    for (const index of addresses.keys()) {
      const [delivery] = await listed(`w${index}`);
      expect([addresses[index], delivery?.state]).toEqual([addresses[index], "given_up"]);
      expect(delivery?.lastError).toMatch(/^url_(?:private|credentials|port)/);
    }
    await store.deleteEntry(ORG, "webhook", "w0");
    const other = open();
    await register("moved", { events: ["run.completed"] });
    await other.round();
    answers = [307];
    location = "http://169.254.169.254/latest/meta-data";
    await begin("run_2", [ended(1)]);
    other.onCommitted("run_2", [ended(1)]);
    await other.round();
    expect(await listed("moved")).toMatchObject([
      { state: "failed", lastError: "It redirects; write the address it leads to." },
    ]);
    expect(received).toHaveLength(1);
  });

  it("are not sent anything whose secret cannot be opened", async () => {
    const webhooks = open();
    const body = { url: urlOf(), events: ["run.completed"], enabled: true };
    const secrets = { secret: "sealed by another key" };
    await store.applyEntries(ORG, [{ change: "put", kind: "webhook", id: "ops", body, secrets }], now);
    await webhooks.round();
    await begin("run_1", [ended(1)]);
    webhooks.onCommitted("run_1", [ended(1)]);
    await webhooks.round();
    expect(received).toEqual([]);
    expect(await listed()).toMatchObject([{ state: "given_up" }]);
  });

  it("that are slow leave room for the others", async () => {
    const slow = createServer(() => undefined);
    await new Promise<void>((resolve) => slow.listen(0, "127.0.0.1", resolve));
    const port = (slow.address() as AddressInfo).port;
    const webhooks = open(store, ["127.0.0.1"]);
    await register("a-slow", { url: `http://127.0.0.1:${port}/`, events: ["node.log"] });
    await register("ops", { events: ["node.log"] });
    await webhooks.round();
    await begin(
      "run_1",
      Array.from({ length: 60 }, (_, index) => logged(index + 1)),
    );
    webhooks.onCommitted("run_1", [logged(1)]);
    const stuck = webhooks.round();
    while (received.length < 4) await new Promise((resolve) => setImmediate(resolve));
    await webhooks.stop();
    await stuck;
    slow.closeAllConnections();
    await new Promise((resolve) => slow.close(resolve));
    // What was broken off is given back untried.
    expect((await listed("a-slow")).every(({ state, attempts }) => state === "pending" && attempts === 0)).toBe(true);
    expect(troubles).toEqual([]);
  });
});
