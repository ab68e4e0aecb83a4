import { describe, expect, it } from "vitest";
import { createScriptedAdapter, type LedgerCall, readScript } from "../adapters/index.ts";
import { createVirtualClock, type VirtualClock } from "../clock/index.ts";
import { digestText, type Json } from "../core/base/index.ts";
import type { UnstampedInput } from "../core/engine/index.ts";
import { DurableDriver, type Launch, type LaunchOutcome } from "../driver/index.ts";
import { openGateways } from "../gateway/index.ts";
import { readSpec } from "../registry/index.ts";
import { createSecretBox } from "../seal/index.ts";
import { createMemoryStore, type EntryKind, type Store, StoreUnavailable } from "../store/index.ts";
import { openGovernance } from "./open-governance.ts";

const ORG = "default";

const WORKFLOW = `name: support
steps:
  - {id: help, command: "Order 7 is broken.", agent: clerk, tools: [find_order, refund]}
  - {id: close, depends_on: [help], command: "Close it: \${help.stdout}"}
`;

const SCRIPT = `nodes:
  help:
    rounds:
      - text: Let me look it up.
        tokens: { input: 100, output: 20 }
        cost_usd: 0.01
        calls: [{ tool: find_order, args: { id: 7 }, result: { paid: 900 } }]
      - text: It was damaged; I refund all of it.
        tokens: { input: 200, output: 30 }
        cost_usd: 0.02
        calls: [{ tool: refund, args: { order: 7, amount: 900 }, result: { done: true } }]
      - text: Refunded.
        tokens: { input: 300, output: 10 }
        cost_usd: 0.03
  close: { stdout: closed }
`;

type Registered = readonly [Parameters<typeof readSpec>[0], EntryKind, string, Json];

const REGISTERED: readonly Registered[] = [
  ["Agent", "agent", "clerk", { trust_level: 5, autonomy: "bounded", max_concurrent: 1 }],
  ["Tool", "tool", "find", { name: "find_*", action: "read" }],
  ["Tool", "tool", "refund", { name: "refund", action: "write", effects: "at_most_once" }],
  [
    "Policy",
    "policy",
    "refunds",
    {
      category: "tool",
      scope: "global",
      condition: "tool.name == 'refund' && tool.args.amount > 100",
      action: "require_approval",
      reason: "refunds over 100 need a person",
    },
  ],
];

interface Shop {
  readonly store: Store;
  readonly clock: VirtualClock;
  readonly ledger: (LedgerCall & { readonly key: string })[];
  readonly troubles: string[];
  driver: DurableDriver;
}

/** A replica on the same store; the one before it is gone without a word. */
async function replica(shop: Omit<Shop, "driver">): Promise<DurableDriver> {
  const { store, clock, ledger, troubles } = shop;
  const onTrouble = (what: string, error: unknown): number => troubles.push(`${what}: ${String(error)}`);
  const local = { providers: ["scripted"], defaultProvider: "scripted", answersAny: true };
  const { directory } = await openGateways({ store, clock, secretKey: null, local, onTrouble });
  const governance = openGovernance({ store, directory, clock, isAlone: true, startRate: null, onTrouble });
  const read = readScript(SCRIPT);
  if (read.problems.length > 0) throw new Error(JSON.stringify(read.problems));
  const adapter = createScriptedAdapter({
    script: read.script,
    clock,
    ledger: (request, _at, call) => {
      if (call === undefined) return;
      const key = call.kind === "tool" ? call.callId : `${request.idempotencyKey}/${call.round}`;
      ledger.push({ ...call, key });
    },
  });
  const driver = new DurableDriver({
    store,
    clock,
    adapters: [adapter],
    box: createSecretBox("a key of the installation"),
    judge: governance.governor,
    monotonic: () => clock.now(),
    isUnavailable: (error) => error instanceof StoreUnavailable,
    supersedesAll: true,
    onTrouble,
  });
  governance.start();
  await driver.start();
  return driver;
}

async function furnished(registered: readonly Registered[] = REGISTERED): Promise<Omit<Shop, "driver">> {
  const clock = createVirtualClock(Date.UTC(2026, 10, 15, 12));
  const store = createMemoryStore({ now: () => clock.now() });
  for (const [kind, entryKind, name, spec] of registered) {
    const reading = readSpec(kind, name, spec);
    if (!reading.ok) throw new Error(JSON.stringify(reading.problems));
    await store.putEntry(ORG, entryKind, name, reading.body, clock.now());
  }
  return { store, clock, ledger: [], troubles: [] };
}

async function open(): Promise<Shop> {
  const shop = await furnished();
  return { ...shop, driver: await replica(shop) };
}

async function launch({ driver, store }: Shop, more: Partial<Launch> = {}, source = WORKFLOW): Promise<string> {
  const definitionHash = digestText(source);
  await store.ensureOrganisation(ORG);
  await store.putDefinition(ORG, definitionHash, { source, catalog: null });
  const started: LaunchOutcome = await driver.launch({
    orgId: ORG,
    workflow: "support",
    version: 1,
    definitionHash,
    args: {},
    trigger: "test",
    startedBy: null,
    ...more,
  });
  if (started.kind !== "started") throw new Error(JSON.stringify(started));
  return started.run.runId;
}

async function eventsOf({ store }: Shop, runId: string) {
  return store.readEvents(ORG, runId, 0, 10_000);
}

/** Lets time pass until the run has an event of one of these types after `after`. */
async function until(shop: Shop, runId: string, types: readonly string[], after = 0): Promise<number> {
  let found = 0;
  for (let look = 0; look < 200 && found === 0; look += 1) {
    const events = await eventsOf(shop, runId);
    found = events.find(({ type, eventId }) => eventId > after && types.includes(type))?.eventId ?? 0;
    if (found > 0) return found;
    const at = shop.clock.now();
    await shop.clock.run(() => shop.clock.now() >= at + 500);
  }
  const seen = (await eventsOf(shop, runId)).map(({ type }) => type).join(" ");
  throw new Error(`none of ${types.join(", ")} came: ${seen}; ${shop.troubles.join("; ")}`);
}

async function answer(shop: Shop, runId: string, given: Partial<Extract<UnstampedInput, { type: "approval" }>>) {
  const open = (await eventsOf(shop, runId)).findLast(({ type }) => type === "approval.requested");
  if (open?.type !== "approval.requested") throw new Error("no person is asked");
  const { approvalId } = open.payload;
  return shop.driver.submit(ORG, runId, { type: "approval", approvalId, decision: "approve", by: "ann", ...given });
}

describe("an agent that wants to refund 900", () => {
  it("looks the order up, is held, is approved with 450, and refunds 450 once", async () => {
    const shop = await open();
    const runId = await launch(shop);
    await until(shop, runId, ["node.blocked"]);
    const events = await eventsOf(shop, runId);
    expect(
      events
        .filter(({ type }) => type.startsWith("tool."))
        .map(({ type, payload }) => [type, (payload as Record<string, unknown>)["disposition"]]),
    ).toEqual([
      ["tool.requested", undefined],
      ["tool.decided", "allow"],
      ["tool.completed", undefined],
      ["tool.requested", undefined],
      ["tool.decided", "hold"],
    ]);
    const rounds = events.flatMap((event) => (event.type === "round.completed" ? [event.payload] : []));
    // The words are for people; what the model said to itself is for no one who reads the log.
    expect(rounds.map(({ text }) => text)).toEqual(["Let me look it up.", "It was damaged; I refund all of it."]);
    expect(rounds.every(({ message }) => Object.keys(message as object).join() === "$sealed")).toBe(true);
    expect((await shop.store.readCounters(ORG, 0)).agents).toEqual([{ agentId: "clerk", open: 0, hits: [] }]);
    const refused = await answer(shop, runId, { modifications: { args: "all" } });
    expect(refused?.refusal?.code).toBe("modifications_invalid");
    const taken = await answer(shop, runId, { modifications: { args: { order: 7, amount: 450 } } });
    expect(taken?.refusal).toBeUndefined();
    await until(shop, runId, ["run.completed"]);
    const made = shop.ledger.filter((line) => line.kind === "tool");
    expect(made.map((line) => line.kind === "tool" && [line.tool, line.args])).toEqual([
      ["find_order", { id: 7 }],
      ["refund", { order: 7, amount: 450 }],
    ]);
    expect(shop.ledger.filter((line) => line.kind === "model").length).toBe(3);
    const run = await shop.store.getRun(ORG, runId);
    expect(run).toMatchObject({ status: "completed", costMicros: 60_000 });
    const ofRun = await eventsOf(shop, runId);
    const ended = ofRun.find((event) => event.type === "node.completed" && event.payload.nodeId === "help");
    expect(ended?.payload).toMatchObject({ costMicros: 60_000, inputTokens: 600, outputTokens: 60 });
    expect(shop.troubles).toEqual([]);
  });

  it("has the same ledger wherever its process is killed", async () => {
    const { commits } = await story(null);
    // The first one starts the run, which is nothing new.
    for (let commit = 2; commit <= commits; commit += 1) {
      for (const isKnown of [true, false]) {
        const { shop, runId } = await story({ commit, isKnown });
        const where = `killed at commit ${commit} of ${commits}, ${isKnown ? "known" : "not known"}`;
        const refunds = shop.ledger.filter((line) => line.kind === "tool" && line.tool === "refund");
        expect(
          refunds.map(({ key }) => key),
          where,
        ).toEqual([`${runId}/help/0/1/0`]);
        expect(refunds[0], where).toMatchObject({ args: { order: 7, amount: 450 } });
        const models = shop.ledger.filter((line) => line.kind === "model").map(({ key }) => key);
        expect(models.length - new Set(models).size, `${where}: ${models.join(" ")}`).toBeLessThanOrEqual(1);
        expect((await shop.store.getRun(ORG, runId))?.status, where).toBe("completed");
      }
    }
  });
});

describe("a run that begins inside the turn of another", () => {
  it("neither pays nor calls again what it begins with, and reads it with a seal of its own", async () => {
    const { shop, runId } = await branchStory(null);
    const events = await eventsOf(shop, runId);
    const rounds = events.flatMap((event) => (event.type === "round.completed" ? [event.payload] : []));
    expect(rounds.map(({ round, carried = false, costMicros }) => [round, carried, costMicros])).toEqual([
      [0, true, 0],
      [1, false, 20_000],
      [2, false, 30_000],
    ]);
    expect(rounds.every(({ message }) => Object.keys(message as object).join() === "$sealed")).toBe(true);
    const results = events.flatMap((event) => (event.type === "tool.completed" ? [event.payload] : []));
    expect(results[0]).toMatchObject({ callId: `${runId}/help/0/0/0`, result: { paid: 50 }, by: "ann" });
    expect(shop.ledger.map(({ key }) => key)).toEqual([
      `${runId}/help/0/1`,
      `${runId}/help/0/1/0`,
      `${runId}/help/0/2`,
    ]);
    expect(await shop.store.getRun(ORG, runId)).toMatchObject({ status: "completed", costMicros: 50_000 });
    expect(shop.troubles).toEqual([]);
  });

  it("has the same ledger wherever its process is killed", async () => {
    const { commits } = await branchStory(null);
    for (let commit = 2; commit <= commits; commit += 1) {
      const { shop, runId } = await branchStory({ commit, isKnown: commit % 2 === 0 });
      const where = `killed at commit ${commit} of ${commits}`;
      const keys = shop.ledger.map(({ key }) => key);
      expect(
        keys.filter((key) => key.startsWith(`${runId}/help/0/0`)),
        where,
      ).toEqual([]);
      expect(
        keys.filter((key) => key === `${runId}/help/0/1/0`),
        where,
      ).toHaveLength(1);
      const models = shop.ledger.filter((line) => line.kind === "model").map(({ key }) => key);
      expect(models.length - new Set(models).size, `${where}: ${models.join(" ")}`).toBeLessThanOrEqual(1);
      expect((await shop.store.getRun(ORG, runId))?.status, where).toBe("completed");
    }
  });
});

type KillPoint = { readonly commit: number; readonly isKnown: boolean };

/** The store as a process sees it that is killed around a commit: written and known, or written and never answered. */
function killable(store: Store, kill: KillPoint | null, count: () => number): { store: Store; isDead: () => boolean } {
  let isDead = false;
  const never = new Promise<never>(() => undefined);
  const guarded = new Proxy(store, {
    get(target, name) {
      const member: unknown = Reflect.get(target, name);
      if (typeof member !== "function") return member;
      return (...given: unknown[]) => {
        if (isDead) return never;
        const result: unknown = Reflect.apply(member, target, given);
        if (name !== "commit") return result;
        const isLast = count() === kill?.commit;
        if (!isLast) return result;
        return (result as Promise<unknown>).then((answer) => {
          if (!kill.isKnown) isDead = true;
          else queueMicrotask(() => (isDead = true));
          return kill.isKnown ? answer : never;
        });
      };
    },
  });
  return { store: guarded, isDead: () => isDead };
}

/** The story with a kill at one of its commits, followed to its end; `commits`: how many there were. */
async function story(kill: KillPoint | null): Promise<{ shop: Shop; runId: string; commits: number }> {
  let commits = 0;
  const whole = await furnished();
  const { store, isDead } = killable(whole.store, kill, () => (commits += 1));
  const shop: Shop = { ...whole, driver: await replica({ ...whole, store }) };
  const runId = await launch(shop);
  await finish(shop, runId, isDead);
  return { shop, runId, commits };
}

/** Lets the run end, answered by a person and taken over when its process has died. */
async function finish(shop: Shop, runId: string, isDead: () => boolean): Promise<void> {
  let isTakenOver = false;
  for (let look = 0; look < 300; look += 1) {
    if (isDead() && !isTakenOver) {
      isTakenOver = true;
      shop.driver = await replica(shop);
    }
    if ((await shop.store.getRun(ORG, runId))?.status === "completed") return;
    await answerAll(shop, runId);
    const at = shop.clock.now();
    await shop.clock.run(() => shop.clock.now() >= at + 200);
  }
}

/** A run that begins after the first round of another one, whose only call has brought something else in it. */
async function branchStory(kill: KillPoint | null): Promise<{ shop: Shop; runId: string; commits: number }> {
  let commits = Number.NEGATIVE_INFINITY;
  const whole = await furnished();
  const { store, isDead } = killable(whole.store, kill, () => (commits += 1));
  const shop: Shop = { ...whole, driver: await replica({ ...whole, store }) };
  const sourceId = await launch(shop);
  await finish(shop, sourceId, isDead);
  shop.ledger.splice(0);
  commits = 0;
  const edit = { callId: `${sourceId}/help/0/0/0`, result: { paid: 50 } };
  const turn = { nodeId: "help", round: 0, edit, by: "ann" };
  const runId = await launch(shop, { source: { runId: sourceId, kind: "branch", turn } });
  await finish(shop, runId, isDead);
  return { shop, runId, commits };
}

/** Half the refund is approved; what became of a call that never reported is read from the ledger. */
async function answerAll(shop: Shop, runId: string): Promise<void> {
  const events = await eventsOf(shop, runId);
  const resolved = new Set(
    events.flatMap((event) => (event.type === "approval.resolved" ? [event.payload.approvalId] : [])),
  );
  for (const { type, payload } of events) {
    if (type !== "approval.requested" || resolved.has(payload.approvalId)) continue;
    const isUnknown = payload.choices.includes("retry");
    const isMade = shop.ledger.some((line) => line.kind === "tool" && line.tool === "refund");
    const { approvalId } = payload;
    const given = isUnknown && !isMade ? { decision: "retry" } : { decision: "approve" };
    const modifications = isUnknown ? { result: { done: true } } : { args: { order: 7, amount: 450 } };
    const more = given.decision === "retry" ? {} : { modifications };
    const input = { type: "approval", approvalId, by: "ann", ...given, ...more } as UnstampedInput;
    void shop.driver.submit(ORG, runId, input);
  }
}
