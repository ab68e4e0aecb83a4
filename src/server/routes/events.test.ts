import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type Api, createApi, STRANGER } from "../../../test/api/fixture.ts";
import { LIMITS } from "../../core/base/index.ts";

const PAID = `name: paid
args: { order: '' }
steps:
  - { id: wait, wait: { event: order.paid, match: { order_id: "\${order}" } } }
  - { id: thank, command: 'thank for \${wait.amount}' }
`;
const GO = `name: go
steps:
  - { id: wait, wait: { signal: go_on } }
`;
const OUTER = `name: outer
steps:
  - { id: inner, workflow_ref: go }
`;
const EMITS = `name: emits
steps:
  - { id: tell, emit: { type: order.paid, key: { order_id: o1 }, data: { amount: 9 } } }
`;

let api: Api;
beforeEach(async () => {
  api = await createApi();
  for (const source of [PAID, GO, OUTER, EMITS]) await api.save(source);
});
afterEach(async () => {
  expect(api.troubles).toEqual([]);
  await api.close();
});

const send = (body: object, key?: string) =>
  api.request("POST", "events", { body, ...(key === undefined ? {} : { key }) });
const paid = (more: object = {}) => ({ type: "order.paid", key: { order_id: "o1" }, data: { amount: 5 }, ...more });

async function start(workflow: string, args: object = {}): Promise<string> {
  const { body } = await api.request("POST", "runs", { body: { workflow, args } });
  return body.id as string;
}

/** Asks until the answer is there; it comes within a few turns of the event loop. */
async function until<T>(ask: () => Promise<T | undefined>): Promise<T> {
  for (;;) {
    const found = await ask();
    if (found !== undefined) return found;
    await new Promise((resolve) => setTimeout(resolve, 1));
  }
}

const ended = (runId: string): Promise<string> =>
  until(async () => {
    const { status } = (await api.request("GET", `runs/${runId}`)).body;
    return ["queued", "running"].includes(status) ? undefined : (status as string);
  });

const waiting = (runId: string): Promise<true> =>
  until(async () => ((await api.request("GET", `runs/${runId}`)).body.waitingFor === "event" ? true : undefined));

describe("an event", () => {
  it("continues the run that waits for it, and no other", async () => {
    const [mine, other] = [await start("paid", { order: "o1" }), await start("paid", { order: "o2" })];
    await Promise.all([waiting(mine), waiting(other)]);
    const { status, body } = await send(paid({ id: "e1" }));
    expect(status).toBe(202);
    expect(body.data).toMatchObject([{ id: "e1", type: "order.paid", key: { order_id: "o1" }, isNew: true }]);
    expect(await ended(mine)).toBe("completed");
    const { nodeResults } = (await api.request("GET", `runs/${mine}/state`)).body;
    expect(nodeResults[1].output).toContain("thank for 5");
    expect((await api.request("GET", `runs/${other}`)).body).toMatchObject({ status: "running", waitingFor: "event" });
    const { body: list } = await api.request("GET", "runs?waiting_for=event");
    expect(list.data.map(({ id }: { id: string }) => id)).toEqual([other]);
  });

  it("is kept for a run that began before it and waits later, and not for one that begins later", async () => {
    await api.save(
      PAID.replace("steps:", "steps:\n  - { id: first, approval: required }")
        .replace("wait: {", "depends_on: [first], wait: {")
        .replace("name: paid", "name: late"),
    );
    const early = await start("late", { order: "o1" });
    await send(paid());
    const late = await start("paid", { order: "o1" });
    await waiting(late);
    const { body } = await api.request("GET", "approvals?status=pending");
    await api.request("POST", `approvals/${body.data[0].id}/resolve`, { body: { decision: "approve" } });
    expect(await ended(early)).toBe("completed");
    expect((await api.request("GET", `runs/${late}`)).body.status).toBe("running");
  });

  it("is the same event when its id is sent again", async () => {
    const first = (await send(paid({ id: "e1" }))).body.data[0];
    const again = (await send(paid({ id: "e1", data: { amount: 7 } }))).body.data[0];
    expect(again).toEqual({ ...first, isNew: false });
    expect((await api.request("GET", "events")).body.data).toHaveLength(1);
    expect((await send(paid(), STRANGER)).status).toBe(202);
    expect((await api.request("GET", "events")).body.data).toHaveLength(1);
  });

  it("may be one of 500, and is listed by type", async () => {
    const many = Array.from({ length: LIMITS.eventsPerRequestMax }, (_, n) => ({ type: `t${n % 2}`, id: `e${n}` }));
    expect((await send(many)).body.data).toHaveLength(500);
    expect((await send([...many, { type: "one.more" }])).status).toBe(422);
    expect((await send([])).status).toBe(422);
    expect((await api.request("GET", "events?type=t1&limit=100")).body.data).toHaveLength(100);
    expect(
      (
        await send([
          { type: "a", id: "x" },
          { type: "b", id: "x" },
        ])
      ).body.code,
    ).toBe("invalid_request");
  });

  it.each<[string, object, number, string]>([
    ["no type", { data: 1 }, 422, "invalid_request"],
    ["a type that is none", { type: "a b" }, 422, "invalid_request"],
    ["a type of the engine's own", { type: "signal:go" }, 422, "invalid_request"],
    ["an id of the engine's own", { type: "a", id: "run_1/tell/0" }, 422, "invalid_request"],
    ["a key that is no object", { type: "a", key: [1] }, 422, "invalid_request"],
    ["an unknown field", { type: "a", payload: 1 }, 422, "invalid_request"],
    ["no span of time", { type: "a", keep: "soon" }, 422, "invalid_request"],
    ["too long a time", { type: "a", keep: "8d" }, 422, "invalid_request"],
    ["text that cannot be stored", { type: "a", data: "\u0000" }, 422, "text_unstorable"],
  ])("is refused with %s", async (_name, body, status, code) => {
    const answer = await send(body);
    expect([answer.status, answer.body.code]).toEqual([status, code]);
  });

  it("may have 256 KiB, and be kept for 7 days", async () => {
    const rest = JSON.stringify({ key: {}, data: "" }).length;
    const sized = (bytes: number) => send({ type: "a", data: "x".repeat(bytes - rest), keep: "7d" });
    expect((await sized(LIMITS.eventBytesMax)).status).toBe(202);
    const { status, body } = await sized(LIMITS.eventBytesMax + 1);
    expect([status, body.code]).toEqual([413, "event_too_large"]);
  });

  it("of a step reaches those who wait", async () => {
    const runId = await start("paid", { order: "o1" });
    await waiting(runId);
    const emitting = await start("emits");
    expect(await ended(runId)).toBe("completed");
    const { data } = (await api.request("GET", "events")).body;
    expect(data).toMatchObject([{ id: `${emitting}/tell/0`, sentBy: emitting, data: { amount: 9 } }]);
  });
});

describe("a signal", () => {
  const signal = (runId: string, name: string, body?: object) =>
    api.request("POST", `runs/${runId}/signals/${name}`, body === undefined ? {} : { body });

  it("continues its run, and no other", async () => {
    const [mine, other] = [await start("go"), await start("go")];
    expect((await signal(mine, "go_on", { data: { ok: true } })).status).toBe(202);
    expect(await ended(mine)).toBe("completed");
    const { nodeResults } = (await api.request("GET", `runs/${mine}/state`)).body;
    expect(nodeResults[0].outputs).toEqual({ ok: true });
    await waiting(other);
    expect((await signal(mine, "go_on")).body.code).toBe("run_finished");
    expect((await signal("run_none", "go_on")).body.code).toBe("unknown_run");
    expect((await signal(other, "a b")).status).toBe(422);
    expect((await api.request("POST", `runs/${other}/signals/go_on`, { key: STRANGER })).status).toBe(404);
  });

  it("has an id of its own run: the same id counts once for a run, and again for another", async () => {
    const [mine, other] = [await start("go"), await start("go")];
    await Promise.all([mine, other].map(waiting));
    const sent = { id: "delivery-1", data: { ok: true } };
    expect((await signal(mine, "early", sent)).body).toMatchObject({ id: "delivery-1", isNew: true });
    expect((await signal(mine, "early", sent)).body).toMatchObject({ id: "delivery-1", isNew: false });
    for (const runId of [mine, other]) {
      expect((await signal(runId, "go_on", sent)).body).toMatchObject({ id: "delivery-1", isNew: true });
      expect(await ended(runId)).toBe("completed");
    }
  });

  it("to a run reaches those it has started, and the other way round", async () => {
    const outer = await start("outer");
    await signal(outer, "go_on");
    expect(await ended(outer)).toBe("completed");
    const again = await start("outer");
    const child = await until(
      async () => (await api.request("GET", `runs?parent=${again}`)).body.data[0]?.id as string,
    );
    await signal(child, "go_on");
    expect(await ended(again)).toBe("completed");
  });
});

describe("an event that a trigger waits for", () => {
  const runsOf = async (workflow: string): Promise<readonly { id: string; status: string }[]> =>
    (await api.request("GET", `runs?workflow=${workflow}&limit=100`)).body.data;

  async function trigger(name: string, spec: object): Promise<void> {
    const { status, body } = await api.request("PUT", `triggers/${name}`, { body: spec });
    if (status > 201) throw new Error(JSON.stringify(body));
  }

  it("starts a run, once, with what it says", async () => {
    const match = { order_id: "o1" };
    await trigger("on-paid", { workflow: "go", on: { event: { type: "order.paid", match } }, args: {} });
    await send(paid({ id: "e1" }));
    await send(paid({ id: "e1" }));
    await send(paid({ id: "e2", key: { order_id: "o2" } }));
    await until(async () => ((await runsOf("go")).length === 1 ? true : undefined));
    const [started] = await runsOf("go");
    const { body } = await api.request("GET", `runs/${started?.id ?? ""}/events`);
    expect(body.data[0].payload).toMatchObject({ trigger: "event" });
    // Nothing led to an event from outside.
    expect(body.data[0].payload.hops).toBeUndefined();
  });

  it.each(["a run", "an event from outside"])(
    "ends a chain of runs that begins with %s after 16",
    async (beginning) => {
      const name = beginning === "a run" ? "chain" : "outer-chain";
      const emit = `emit: { type: ${name}.tick }`;
      const cry = `finally: [{ id: cry, ${emit}, condition: "run.outcome == 'failed'" }]`;
      await api.save(`name: ${name}\nsteps:\n  - { id: again, ${emit} }\n${cry}\n`);
      await trigger(`on-${name}`, { workflow: name, on: { event: { type: `${name}.tick` } }, args: {} });
      if (beginning === "a run") await start(name);
      else await send({ type: `${name}.tick` });
      const runs = await until(async () => {
        const all = await runsOf(name);
        return all.some(({ status }) => status === "failed") ? all : undefined;
      });
      expect(runs.map(({ status }) => status).sort()).toEqual([...Array<string>(16).fill("completed"), "failed"]);
      const last = runs.find(({ status }) => status === "failed")?.id ?? "";
      const { data } = (await api.request("GET", `runs/${last}/events`)).body;
      expect(data.at(-1).payload).toMatchObject({ errorCode: "event_loop" });
      // What comes last has run, and its event has reached the trigger, which starts nothing more.
      const refused = await until(async () => {
        const { data: all } = (await api.request("GET", `triggers/on-${name}/deliveries?limit=100`)).body;
        const some = all.filter(({ state }: { state: string }) => state === "refused");
        return some.length > 0 ? some : undefined;
      });
      expect(refused).toMatchObject([{ code: "event_loop" }]);
      expect(await runsOf(name)).toHaveLength(17);
    },
  );
});
