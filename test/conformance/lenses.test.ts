import { describe, expect, it } from "vitest";
import type { JsonObject } from "../../src/core/base/index.ts";
import { type Scene, sceneForEach } from "./scene.ts";

const SCRIPT = `default: echo
nodes:
  titled: { outputs: { title: A title }, stdout: the text }
  untitled: { outputs: { other: 1 }, stdout: the text }
`;
const V1: JsonObject = { id: "v1", template_body: "First about [[topic]]" };
const V2: JsonObject = { id: "v2", template_body: "Second about [[topic]]" };

let scene: Scene;

sceneForEach(SCRIPT, async (opened) => {
  scene = opened;
  await scene.put("lenses/answer", { versions: [V1] });
});

const graph = (nodes: readonly JsonObject[], edges: readonly JsonObject[] = []) => ({
  name: "g",
  format: "lens-graph/v1",
  root_inputs: { topic: { default: "tea" } },
  nodes,
  edges,
});
const edge = (source: string, target: string, label = "p"): JsonObject => ({
  id: `${source}-${target}`,
  source_node_id: source,
  target_node_id: target,
  target_param_label: label,
});
const message = async (runId: string, nodeId: string): Promise<string> =>
  (await scene.get(`runs/${runId}/nodes/${nodeId}`)).request.message;

/** Waits for a value that is missing, so that something can change while it runs. */
const WAITING = graph(
  [
    { id: "wait", config: { template_body: "[[missing]]" } },
    { id: "ask", lens_id: "answer" },
    { id: "named", lens_id: "answer", version_id: "v1" },
  ],
  [edge("wait", "ask"), edge("wait", "named")],
);

const goOn = async (runId: string): Promise<void> => {
  await scene.post(`runs/${runId}/nodes/wait/resolve`, { values: { missing: "given" } });
  await scene.api.settle(runId);
};

describe("a lens of a saved workflow", () => {
  it("is used in the version that was newest when the run began, or in the one that is named", async () => {
    await scene.save(WAITING);
    const runId = await scene.run("g");
    await scene.put("lenses/answer", { versions: [V1, V2] });
    await goOn(runId);
    expect(await message(runId, "ask")).toBe("First about tea");
    const next = await scene.run("g");
    await goOn(next);
    expect(await message(next, "ask")).toBe("Second about tea");
    expect(await message(next, "named")).toBe("First about tea");
  });

  it("stays the same when the run is restarted, and when it is branched", async () => {
    await scene.save(graph([{ id: "ask", lens_id: "answer" }]));
    const runId = await scene.run("g");
    await scene.put("lenses/answer", { versions: [V1, V2] });
    const restarted = await scene.post(`runs/${runId}/restart`, { fromNode: "ask" });
    await scene.api.settle(restarted.body.id);
    expect(await message(restarted.body.id, "ask")).toBe("First about tea");
    const branched = await scene.post(`runs/${runId}/branch`, { eventId: 1, args: { topic: "coffee" } });
    await scene.api.settle(branched.body.id);
    expect(await message(branched.body.id, "ask")).toBe("First about coffee");
  });

  it("may be gone before the run that began with it ends", async () => {
    await scene.save(WAITING);
    const runId = await scene.run("g");
    await scene.api.request("DELETE", "lenses/answer");
    await goOn(runId);
    expect((await scene.get(`runs/${runId}`)).status).toBe("completed");
    const { status, body } = await scene.post("runs", { workflow: "g" });
    expect(status).toBe(422);
    expect(body.problems.length).toBeGreaterThan(0);
  });

  it("never changes a version: another text needs another id", async () => {
    const changed = await scene.api.request("PUT", "lenses/answer", {
      body: { versions: [{ ...V1, template_body: "Otherwise" }] },
    });
    expect(changed.status).toBe(422);
    expect(changed.body.problems[0]).toMatchObject({ code: "conflicting_fields" });
  });

  it.each<[string, JsonObject]>([
    ["a lens that is not registered", { id: "a", lens_id: "anser" }],
    ["a version it does not have", { id: "a", lens_id: "answer", version_id: "v9" }],
  ])("is a problem of the workflow, with its place: %s", async (_, node) => {
    const saved = await scene.api.request("PUT", "workflows/g", {
      body: { source: JSON.stringify(graph([node]), null, 2) },
    });
    expect(saved.status).toBe(422);
    expect(saved.body.problems).toMatchObject([
      { path: expect.stringMatching(/^nodes\[0\]\.(lens_id|version_id)$/), line: expect.any(Number) },
    ]);
  });

  it("checks what goes in and what comes out, as its contracts say", async () => {
    await scene.put("lenses/sum", {
      versions: [
        {
          id: "v1",
          template_body: "Pay [[amount]]",
          input_contract: { kind: "text", fields: { amount: { type: "integer", required: true, min: 1 } } },
        },
      ],
    });
    await scene.put("lenses/report", {
      versions: [
        {
          id: "v1",
          template_body: "Report",
          output_contract: {
            kind: "report",
            artifact_kind: "json",
            schema: { title: { type: "string", required: true } },
          },
        },
      ],
    });
    await scene.save(
      graph([
        { id: "poor", lens_id: "sum", config: { param_overrides: { amount: 0 } } },
        { id: "texted", lens_id: "sum", config: { param_overrides: { amount: "500" } } },
        { id: "paid", lens_id: "sum", config: { param_overrides: { amount: 500 } } },
        { id: "titled", lens_id: "report" },
        { id: "untitled", lens_id: "report" },
      ]),
    );
    const runId = await scene.run("g");
    const violated = async (nodeId: string) => (await scene.events(runId, "contract.violated", nodeId))[0]?.payload;
    expect(await violated("poor")).toMatchObject({
      phase: "input",
      errors: [{ field: "amount", reason: "below_min" }],
    });
    expect(await violated("texted")).toMatchObject({ phase: "input", errors: [{ reason: "type_mismatch" }] });
    expect(await violated("untitled")).toMatchObject({ phase: "output", errors: [{ field: "data.title" }] });
    expect(await scene.events(runId, "node.started", "poor")).toEqual([]);
    expect(await scene.statuses(runId)).toEqual({
      poor: "failed",
      texted: "failed",
      paid: "completed",
      titled: "completed",
      untitled: "failed",
    });
    expect(await scene.result(runId, "poor")).toMatchObject({ errorCode: "input_contract_violation" });
    expect(await scene.result(runId, "untitled")).toMatchObject({ errorCode: "output_contract_violation" });
  });

  it("has its required tools asked for by its node", async () => {
    await scene.agents("ann", "ben");
    await scene.put("lenses/tooled", { versions: [{ id: "v1", template_body: "Do", required_tools: ["search"] }] });
    await scene.put("teams/crew", {
      members: [{ agent: "ann" }, { agent: "ben", lane: 2, tool_profile: { allow_tools: ["search"] } }],
    });
    await scene.save(graph([{ id: "a", lens_id: "tooled" }]));
    const runId = await scene.run("g", { team: "crew" });
    expect(await scene.takers(runId, "a")).toEqual(["ben"]);
  });
});

describe("a child run of a lens node", () => {
  it("is not given root inputs it does not declare", async () => {
    await scene.save("name: kid\nargs: { p: { type: string } }\nsteps:\n  - { id: leaf, command: 'Got ${p}' }\n");
    await scene.save(graph([{ id: "kid", config: { workflow_ref: "kid", with: { p: "x" } } }]));
    expect(await scene.statuses(await scene.run("g"))).toEqual({ kid: "completed" });
  });

  it("gets what its edges and `with` give, and hands its leaves on", async () => {
    await scene.save(
      "name: kid\nargs: { topic: x, p: { type: string }, n: { type: integer } }\nsteps:\n  - { id: leaf, command: 'Got ${p} ${n}' }\n",
    );
    await scene.save(
      graph(
        [
          { id: "a", config: { template_body: "Hello" } },
          { id: "kid", config: { workflow_ref: "kid", with: { n: 7 } } },
          { id: "end", config: { template_body: "<[[p]]>" } },
        ],
        [edge("a", "kid"), { ...edge("kid", "end"), source_output_key: "leaf" }],
      ),
    );
    const runId = await scene.run("g");
    expect((await scene.get(`runs/${runId}`)).status).toBe("completed");
    const [child] = (await scene.get(`runs?parent=${runId}`)).data;
    expect(child).toMatchObject({ workflow: "kid", args: { topic: "tea", p: "Hello", n: 7 }, recursionDepth: 1 });
    expect(await message(child.id, "leaf")).toBe("Got Hello 7");
  });
});
