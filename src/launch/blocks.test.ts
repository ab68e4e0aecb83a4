import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type Api, createApi } from "../../test/api/fixture.ts";

const SCRIPT = `default: echo
nodes:
  retried/break: { fail: provider_error }
  slow/hang: { hang: true }
  cleaned/hang: { hang: true }
  stuck/hang: { hang: true }
  stuck/tidy: { hang: true }
  bad/tidy: { fail: provider_auth }
  failing/break: { fail: provider_auth }
  handled/try: { fail: provider_refused }
  handled/break: { fail: provider_auth }
`;

let api: Api;

beforeEach(async () => {
  api = await createApi({}, SCRIPT);
});

afterEach(async () => {
  expect(api.troubles).toEqual([]);
  await api.close();
});

const get = async (path: string) => (await api.request("GET", path)).body;
const post = async (path: string, body: object = {}) => await api.request("POST", path, { body });
const events = async (runId: string): Promise<{ type: string; payload: Record<string, unknown> }[]> =>
  (await get(`runs/${runId}/events?limit=500`)).data;
const until = async (isTrue: () => Promise<boolean>): Promise<void> => {
  while (!(await isTrue())) await new Promise((resolve) => setTimeout(resolve, 10));
};
const blocksOf = async (runId: string): Promise<string[]> =>
  (await events(runId))
    .filter(({ type }) => type === "child.started" || type === "run.finally")
    .map(({ payload }) => String(payload["childRunId"]));
const start = async (workflow: string): Promise<string> => (await post("runs", { workflow })).body.id;

async function ran(source: string): Promise<{ readonly id: string; readonly run: Record<string, unknown> }> {
  await api.save(source);
  const id = await api.run(/name: (\S+)/u.exec(source)?.[1] ?? "");
  return { id, run: await get(`runs/${id}`) };
}

describe("a block that is continued", () => {
  it("takes no event again that a round it keeps has taken", async () => {
    await api.save(`name: rounds
steps:
  - { id: say, emit: { type: go, key: { k: "1" }, data: {} } }
  - id: body
    steps:
      - id: got
        wait: { event: go, match: { k: "1" }, timeout: 1s }
        repeat: { until: "round >= 1", max: 2 }
`);
    const id = await start("rounds");
    expect(await api.settle(id)).toBe("failed");
    expect((await post(`runs/${id}/recover`)).status).toBe(200);
    await until(async () => (await blocksOf(id)).length === 2);
    expect(await api.settle(id)).toBe("failed");
    const taken = await Promise.all((await blocksOf(id)).map(events));
    const received = taken
      .flat()
      .filter(({ type, payload }) => type === "node.completed" && payload["carried"] !== true);
    expect(received.map(({ payload }) => payload["nodeId"])).toEqual(["got[0]"]);
  });
});

describe("a block", () => {
  it("that is repeated finds nothing before its first round, at any depth", async () => {
    const { run } = await ran(`name: again
steps:
  - id: r
    repeat: { until: outputs.k == 1 }
    steps:
      - { id: x, set: { k: "\${round}", p: "\${previous.k}", t: "was \${previous.k}." } }
      - { id: in, steps: [{ id: y, set: { p: "\${previous.k}" } }] }
    outputs: { k: "\${x.k}", p: "\${x.p}", t: "\${x.t}", own: "\${previous.k}", deep: "\${in.y.p}", all: "\${previous}" }
outputs: { first: "\${r.all}", last: "\${omit(r, ['all'])}" }
`);
    expect(run.outputs).toEqual({
      first: { k: 0, p: null, t: "was .", own: null, deep: null, all: null },
      last: { k: 1, p: 0, t: "was 0.", own: 0, deep: 0, rounds: 2 },
    });
  });

  it("whose outputs cannot be found fails with the reason", async () => {
    const { id } = await ran(`name: unfound
steps:
  - id: b
    steps: [{ id: x, set: { n: 0 } }]
    outputs: { q: { expr: 1 / x.n } }
`);
    const failed = (await events(id)).find(({ type }) => type === "node.failed");
    expect(failed?.payload).toMatchObject({
      errorCode: "outputs_error",
      errorMessage: "outputs.q: / divides by zero (column 3)",
    });
  });

  it("sees args, steps before it, the element and facts of its run, and hands on what it names", async () => {
    const { id, run } = await ran(`name: nested
args: { topic: gold }
steps:
  - { id: first, set: { list: [1, 2], word: "\${topic}!" } }
  - id: body
    steps:
      - { id: inner, set: { y: "\${first.word} \${word} \${run.workflow} \${run.id}" } }
      - id: deeper
        steps: [{ id: innermost, command: "Say \${inner.y} \${topic} \${run.id}" }]
    outputs: { y: "\${inner.y}", said: "\${deeper.innermost.stdout ?? 'nothing'}" }
  - id: each
    for_each: first.list
    as: n
    steps: [{ id: one, set: { double: { expr: "n * 2 + index" } } }]
outputs: { y: "\${body.y}", items: "\${each.items}" }
`);
    expect(run.status).toBe("completed");
    expect(run.outputs).toEqual({
      y: `gold! gold! nested ${id}`,
      items: [{ one: { double: 2 } }, { one: { double: 5 } }],
    });
    const [body] = await blocksOf(id);
    const block = await get(`runs/${body}`);
    expect(block).toMatchObject({ workflow: "nested", block: "body", parentRunId: id, status: "completed" });
    expect(block.args).toEqual({
      first: { list: [1, 2], word: "gold!" },
      topic: "gold",
      "run.workflow": "nested",
      "run.id": id,
    });
    const [deeper] = await blocksOf(body ?? "");
    expect((await get(`runs/${deeper}/state`)).nodeResults[0].output).toContain(`gold ${id}`);
  });

  it("is no run of its own: it is neither listed nor started by the gates nor counted", async () => {
    const limited = await createApi({}, SCRIPT, { startRate: { count: 1, perSeconds: 3_600 } });
    await limited.save("name: one\nsteps: [{ id: a, steps: [{ id: b, command: B }] }]\n");
    const id = await limited.run("one");
    const { data } = (await limited.request("GET", "runs")).body;
    expect(data.map((run: { id: string }) => run.id)).toEqual([id]);
    expect((await limited.request("GET", `runs?parent=${id}`)).body.data).toEqual([]);
    expect(await (await limited.ask("GET", "/metrics")).text()).toContain("sluice_runs_started_total 1");
    await limited.close();
  });

  it("fails its step with what failed inside, and begins anew with a retry", async () => {
    const { run } = await ran("name: failing\nsteps: [{ id: a, steps: [{ id: break, command: B }] }]\n");
    expect(run.status).toBe("failed");
    const retried = await ran(
      "name: retried\nsteps: [{ id: a, on_failure: retry_once, steps: [{ id: work, command: W }, { id: break, command: B, depends_on: [work] }] }]\n",
    );
    const [, second] = await blocksOf(retried.id);
    expect((await events(second ?? "")).filter(({ payload }) => payload["carried"] === true)).toEqual([]);
  });

  it("shows its handler the failure of the step inside, not one that was handled there", async () => {
    const { run } = await ran(`name: handled
steps:
  - id: pay
    steps:
      - { id: try, command: T }
      - { id: again, command: A, depends_on: [{ step: try, on: failure }] }
      - id: deep
        depends_on: [again]
        steps: [{ id: break, command: B }]
  - id: tell
    set: { code: "\${pay.error.code}", class: "\${pay.error.class}", why: "\${pay.error.message}" }
    depends_on: [{ step: pay, on: failure }]
outputs: { code: "\${tell.code}", class: "\${tell.class}", why: "\${tell.why}" }
`);
    expect(run.status).toBe("completed");
    expect(run.outputs).toEqual({
      code: "provider_auth",
      class: "provider_auth",
      why: expect.stringMatching(/^deep: break: /),
    });
  });

  it("reads what was skipped around it as empty, and what is missing as missing", async () => {
    const { run } = await ran(`name: skips
steps:
  - { id: never, condition: "1 == 2", set: { x: 1 } }
  - { id: ok, set: { y: 1 } }
  - id: a
    depends_on: [ok]
    steps: [{ id: b, set: { seen: "<\${never.x}>", or: { expr: "never.x ?? 'none'" } } }]
`);
    expect(run.outputs).toEqual({ a: { b: { seen: "<>", or: "none" } } });
  });

  it("ends the run it belongs to with cancel and fail, however deep", async () => {
    const cancelled = await ran(
      "name: c\nsteps: [{ id: a, steps: [{ id: b, steps: [{ id: c, cancel: enough }] }] }, { id: z, command: Z, depends_on: [a] }]\n",
    );
    expect(cancelled.run).toMatchObject({ status: "cancelled" });
    expect((await events(cancelled.id)).at(-1)?.payload).toMatchObject({ reason: "enough" });
    const completed = await ran(
      "name: d\nsteps: [{ id: a, steps: [{ id: b, cancel: { reason: fine, as: completed } }] }, { id: z, command: Z, depends_on: [a] }]\n",
    );
    expect(completed.run).toMatchObject({ status: "completed" });
    const failed = await ran(
      "name: e\nsteps: [{ id: a, on_failure: skip, steps: [{ id: b, fail: { code: no_stock, message: none left } }] }]\n",
    );
    expect(failed.run.status).toBe("failed");
    expect((await events(failed.id)).at(-1)?.payload).toMatchObject({ errorCode: "no_stock", reason: "none left" });
  });

  it("ends with its run when that is cancelled", async () => {
    await api.save("name: slow\nsteps: [{ id: a, steps: [{ id: b, steps: [{ id: hang, command: H }] }] }]\n");
    const id = await start("slow");
    await until(async () => api.runtime.figures().openDispatches === 1);
    await post(`runs/${id}/cancel`);
    expect(await api.settle(id)).toBe("cancelled");
    for (const block of await blocksOf(id)) expect((await get(`runs/${block}`)).status).toBe("cancelled");
  });

  const GATED = `name: gated
steps:
  - id: a
    steps:
      - id: b
        steps:
          - { id: work, command: Work }
          - { id: gate, approval: required, depends_on: [work] }
`;
  const answer = async (decision: string): Promise<void> => {
    const pending = async () => (await get("approvals?status=pending")).data;
    await until(async () => (await pending()).length > 0);
    const [{ id }] = await pending();
    await post(`approvals/${id}/resolve`, { decision, reason: "because" });
  };
  const failedOnce = async (): Promise<string> => {
    await api.save(GATED);
    const id = await start("gated");
    await answer("reject");
    expect(await api.settle(id)).toBe("failed");
    return id;
  };
  const carriedBy = async (runId: string): Promise<unknown[]> => {
    const outer = (await blocksOf(runId)).at(-1) ?? "";
    const [inner] = await blocksOf(outer);
    const carried = (await events(inner ?? "")).filter(({ payload }) => payload["carried"] === true);
    return carried.map(({ payload }) => payload["nodeId"]);
  };

  it("is continued with what it has when its run is restarted", async () => {
    const restarted = (await post(`runs/${await failedOnce()}/restart`)).body.id;
    await answer("approve");
    expect(await api.settle(restarted)).toBe("completed");
    expect(await carriedBy(restarted)).toEqual(["work"]);
  });

  it("is continued with what it has when its run is recovered", async () => {
    const id = await failedOnce();
    await post(`runs/${id}/recover`);
    await answer("approve");
    expect(await api.settle(id)).toBe("completed");
    expect(await blocksOf(id)).toHaveLength(2);
    expect(await carriedBy(id)).toEqual(["work"]);
  });

  it("is rewound with the run it belongs to, to before it began", async () => {
    const { id } = await ran(
      "name: back\nsteps: [{ id: a, set: { x: 1 } }, { id: b, steps: [{ id: c, command: '${a.x}' }] }]\n",
    );
    const [block] = await blocksOf(id);
    const { body } = await post(`runs/${block}/rewind`, { eventId: 2 });
    expect(body.id).toBe(id);
    expect(await api.settle(id)).toBe("completed");
    expect(await blocksOf(id)).toHaveLength(2);
    expect(
      (await events(id)).filter(({ type }) => type === "node.invalidated").map(({ payload }) => payload["nodeId"]),
    ).toEqual(["b"]);
  });
});

describe("choose", () => {
  const choosing = (x: string): string => `name: choosing
steps:
  - { id: first, set: { x: ${x} } }
  - id: pick
    choose:
      - { when: first.x > 10, steps: [{ id: big, set: { v: 1 } }] }
      - { name: small, when: first.x > 0, steps: [{ id: low, set: { v: 2 } }], outputs: { v: "\${low.v}" } }
outputs: { pick: "\${pick.outputs}" }
`;

  it.each([
    ["20", { branch: "0", big: { v: 1 } }],
    ["5", { branch: "small", v: 2 }],
    ["-1", null],
  ])("runs the first branch that fits %s", async (x, pick) => {
    const { id, run } = await ran(choosing(x));
    expect(run).toMatchObject({ status: "completed", outputs: { pick } });
    if (pick !== null) return;
    const state = await get(`runs/${id}/state`);
    expect(state.nodeResults[1]).toMatchObject({ status: "skipped" });
    expect((await events(id)).find(({ type }) => type === "node.skipped")?.payload["reason"]).toBe("condition_false");
  });
});

describe("finally", () => {
  const LAST = 'finally: [{ id: tidy, command: "${run.outcome} ${run.error.code ?? 0} ${a.x}" }]\n';

  it("runs after everything, sees the outcome, and changes nothing when it succeeds", async () => {
    const { id, run } = await ran(`name: fine\nsteps: [{ id: a, set: { x: 7 } }]\noutputs: { y: "\${a.x}" }\n${LAST}`);
    expect(run).toMatchObject({ status: "completed", outputs: { y: 7 } });
    const [last] = await blocksOf(id);
    expect(await get(`runs/${last}`)).toMatchObject({ block: "finally", status: "completed" });
    expect((await get(`runs/${last}/state`)).nodeResults[0].output).toContain("completed 0 7");
    const types = (await events(id)).map(({ type }) => type);
    expect(types.slice(-4)).toEqual(["run.finally", "run.finally.ended", "run.status.changed", "run.completed"]);
  });

  it("sees no error where there is none: null as a value, nothing in a text", async () => {
    const set = 'set: { code: "${run.error.code}", all: "${run.error}", text: { expr: run.error.message } }';
    const inner = 'steps: [{ id: c, command: "<${run.error.code}>" }]';
    const last = `finally: [{ id: a, ${set} }, { id: b, ${inner} }]\n`;
    const { id, run } = await ran(`name: quiet\nsteps: [{ id: x, set: { y: 7 } }]\n${last}`);
    expect(run).toMatchObject({ status: "completed" });
    const [outer] = await blocksOf(id);
    const { nodeResults } = await get(`runs/${outer}/state`);
    expect(nodeResults[0].outputs).toEqual({ code: null, all: null, text: null });
    const [nested] = await blocksOf(String(outer));
    expect((await get(`runs/${nested}/state`)).nodeResults[0].output).toContain("<>");
  });

  it("runs when the run fails, and again when it is recovered or restarted", async () => {
    const { id, run } = await ran(
      `name: failing\nsteps: [{ id: a, set: { x: 7 } }, { id: break, command: B }]\n${LAST}`,
    );
    expect(run).toMatchObject({ status: "failed" });
    const [last] = await blocksOf(id);
    expect((await get(`runs/${last}/state`)).nodeResults[0].output).toContain("failed provider_auth 7");
    await post(`runs/${id}/recover`);
    await api.settle(id);
    expect(await blocksOf(id)).toHaveLength(2);
    const again = (await post(`runs/${id}/restart`)).body.id;
    await api.settle(again);
    expect(await blocksOf(again)).toHaveLength(1);
  });

  it("makes a completed run fail when it fails", async () => {
    const { run } = await ran(`name: bad\nsteps: [{ id: a, set: { x: 7 } }]\n${LAST}`);
    expect(run).toMatchObject({ status: "failed" });
    const coded = await ran(
      "name: f\nsteps: [{ id: a, set: { x: 7 } }]\nfinally: [{ id: b, fail: { code: mine, message: no } }]\n",
    );
    expect((await events(coded.id)).at(-1)?.payload).toMatchObject({ errorCode: "mine", reason: "no" });
  });

  it("runs when the run is cancelled, and ends with a second cancel", async () => {
    await api.save(`name: stuck\nsteps: [{ id: a, set: { x: 7 } }, { id: hang, command: H }]\n${LAST}`);
    const id = await start("stuck");
    await until(async () => api.runtime.figures().openDispatches === 1);
    await post(`runs/${id}/cancel`);
    await until(async () => (await blocksOf(id)).length === 1 && api.runtime.figures().openDispatches === 1);
    expect((await get(`runs/${id}`)).status).toBe("running");
    await post(`runs/${id}/cancel`);
    expect(await api.settle(id)).toBe("cancelled");
    const [last] = await blocksOf(id);
    expect((await get(`runs/${last}`)).status).toBe("cancelled");
  });
});
