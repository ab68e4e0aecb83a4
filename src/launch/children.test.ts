import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type Api, createApi } from "../../test/api/fixture.ts";

const GRANDCHILD = `name: grandchild
args: { topic: { type: string, required: true } }
steps:
  - { id: dig, command: "Dig for \${topic}", outputs: { finding: string } }
`;
const CHILD = `name: child
args: { topic: { type: string, required: true } }
steps:
  - { id: ask, workflow_ref: grandchild, with: { topic: "\${topic}!" } }
  - { id: report, command: "Report \${ask.outputs.dig.finding}", outputs: { finding: string } }
`;
const PARENT = `name: parent
args: { topic: { type: string, default: gold } }
steps:
  - { id: first, workflow_ref: child, with: { topic: "\${topic}" } }
  - { id: last, command: "Sum up \${first.outputs.report.finding}" }
`;
const SCRIPT = `default: echo
nodes:
  grandchild/dig: { outputs: { finding: a vein }, cost_usd: 0.5 }
  child/report: { outputs: { finding: all of it }, cost_usd: 0.25 }
  slow/wait: { hang: true, cost_usd: 0.1 }
`;

let api: Api;

beforeEach(async () => {
  api = await createApi({}, SCRIPT);
  for (const source of [GRANDCHILD, CHILD, PARENT]) await api.save(source);
});

afterEach(async () => {
  await api.close();
});

const childrenOf = async (runId: string): Promise<{ id: string; status: string; recursionDepth: number }[]> =>
  (await api.request("GET", `runs?parent=${runId}`)).body.data;

const until = async (isTrue: () => Promise<boolean>): Promise<void> => {
  while (!(await isTrue())) await new Promise((resolve) => setTimeout(resolve, 10));
};

describe("child runs", () => {
  it("run as runs of their own, hand their outputs up, and their cost", async () => {
    const runId = await api.run("parent");
    const run = (await api.request("GET", `runs/${runId}`)).body;
    expect(run).toMatchObject({ status: "completed", costMicros: 750_000, recursionDepth: 0 });
    const [child] = await childrenOf(runId);
    expect(child).toMatchObject({
      workflow: "child",
      status: "completed",
      recursionDepth: 1,
      args: { topic: "gold" },
      traceId: run.traceId,
    });
    const [grandchild] = await childrenOf(child?.id ?? "");
    expect(grandchild).toMatchObject({ recursionDepth: 2, args: { topic: "gold!" }, costMicros: 500_000 });
    const state = (await api.request("GET", `runs/${runId}/state`)).body;
    expect(state.nodeResults[0]).toMatchObject({ nodeId: "first", outputs: { report: { finding: "all of it" } } });
    expect(state.nodeResults[1].output).toContain("Sum up all of it");
  });

  it("leave a trail by which an output leads back through them to the arg it came from", async () => {
    const runId = await api.run("parent", { topic: "silver" });
    const { body } = await api.request("GET", `runs/${runId}/provenance?node=last`);
    const [child] = await childrenOf(runId);
    const [grandchild] = await childrenOf(child?.id ?? "");
    const sources = body.points.map((point: { runId: string; nodeId: string | null; path: string }) => [
      point.runId,
      point.nodeId ?? "args",
    ]);
    expect(sources).toContainEqual([grandchild?.id, "dig"]);
    expect(sources).toContainEqual([grandchild?.id, "args"]);
    expect(sources).toContainEqual([child?.id, "args"]);
    expect(sources.at(-1)).toEqual([runId, "args"]);
  });

  it("run the version that was newest when the first of the family began", async () => {
    await api.save(
      `name: slow\nsteps:\n  - { id: gate, approval: required }\n  - { id: after, workflow_ref: grandchild, with: { topic: x }, depends_on: [gate] }\n`,
    );
    const runId = await api.run("slow");
    await api.save(GRANDCHILD.replace("Dig for", "Look for"));
    const { body } = await api.request("GET", "approvals?status=pending");
    await api.request("POST", `approvals/${body.data[0].id}/resolve`, { body: { decision: "approve" } });
    await api.settle(runId);
    const [child] = await childrenOf(runId);
    expect(child).toMatchObject({ workflow: "grandchild", version: 1, status: "completed" });
  });

  it("are refused by the launch gates under the same caller, and fail their node", async () => {
    await api.request("PATCH", "workflows/grandchild", { body: { status: "paused" } });
    const runId = await api.run("parent");
    const state = (await api.request("GET", `runs/${runId}/state`)).body;
    expect(state.status).toBe("failed");
    expect(state.nodeResults[0]).toMatchObject({ status: "failed", errorCode: "child_failed" });
    expect(state.nodeResults[0].errorMessage).toContain("paused");
  });

  it("stop at the fifth level", async () => {
    await api.save("name: loop\nsteps:\n  - { id: again, workflow_ref: loop }\n");
    const runId = await api.run("loop");
    let [deepest] = await childrenOf(runId);
    for (let next = deepest; next !== undefined; [next] = await childrenOf(next.id)) deepest = next;
    expect(deepest?.recursionDepth).toBe(5);
    const state = (await api.request("GET", `runs/${deepest?.id}/state`)).body;
    expect(state.nodeResults[0].errorCode).toBe("recursion_limit");
  });

  it("end with a cancelled family, three levels down, and nothing runs or spends afterwards", async () => {
    await api.save("name: slow\nsteps:\n  - { id: wait, command: Wait }\n");
    await api.save("name: two\nsteps:\n  - { id: down, workflow_ref: slow }\n");
    await api.save("name: one\nsteps:\n  - { id: down, workflow_ref: two }\n");
    await api.save(
      "name: top\nsteps:\n  - { id: down, workflow_ref: one }\n  - { id: after, command: After, depends_on: [down] }\n",
    );
    const { body: top } = await api.request("POST", "runs", { body: { workflow: "top" } });
    const runs = async (): Promise<{ id: string; status: string; workflow: string }[]> =>
      (await api.request("GET", "runs?limit=100")).body.data;
    await until(async () => (await runs()).some(({ workflow, status }) => workflow === "slow" && status === "running"));
    await until(async () => api.runtime.figures().openDispatches === 1);
    await api.request("POST", `runs/${top.id}/cancel`, { body: {} });
    await until(async () => (await runs()).every(({ status }) => status === "cancelled"));
    expect(await runs()).toHaveLength(4);
    expect(api.runtime.figures().openDispatches).toBe(0);
    const events = (await api.request("GET", `runs/${top.id}/events?limit=500`)).body.data;
    expect(events.at(-1).type).toBe("run.cancelled");
    expect(api.troubles).toEqual([]);
  });

  it("are not started for a workflow that is not saved", async () => {
    await api.save("name: lost\nsteps:\n  - { id: down, workflow_ref: nowhere }\n");
    const { status, body } = await api.request("POST", "runs", { body: { workflow: "lost" } });
    expect([status, body.code]).toEqual([404, "unknown_workflow"]);
    expect(body.detail).toContain('"nowhere"');
  });

  it("do not count against the start rate of the starter of their parent, nor against any other", async () => {
    const limited = await createApi({}, SCRIPT, { startRate: { count: 1, perSeconds: 3_600 } });
    await limited.save("name: one\nargs: { n: 0 }\nsteps:\n  - { id: work, command: Work }\n");
    await limited.save(
      "name: many\nargs: { list: [1, 2, 3, 4, 5] }\nsteps:\n  - { id: each, for_each: list, workflow_ref: one }\n",
    );
    const { body: many } = await limited.request("POST", "runs", { body: { workflow: "many" } });
    expect(await limited.settle(many.id)).toBe("completed");
    expect((await limited.request("GET", `runs?parent=${many.id}`)).body.data).toHaveLength(5);
    const second = await limited.request("POST", "runs", { body: { workflow: "one" } });
    expect([second.status, second.body.code]).toEqual([429, "rate_limited"]);
    expect(second.body.explanation.unblock.map(({ action }: { action: string }) => action)).toEqual([
      "wait",
      "raise_start_rate",
    ]);
    await limited.close();
  });
});
