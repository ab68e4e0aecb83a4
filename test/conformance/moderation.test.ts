import { describe, expect, it } from "vitest";
import { type Scene, sceneForEach } from "./scene.ts";

/** Shaped like a key of a model's vendor, and good for nothing. */
const SECRET = "sk-ant-api03-0123456789abcdefghijABCDEFGHIJ0123456789abcdefghijABCDEFGHIJ0123456789abcdefghijAAAA";

const SCRIPT = `default: echo
nodes:
  leaks: { stdout: "the key is ${SECRET}", cost_usd: 0.5 }
  hides: { stdout: fine, outputs: { deep: { key: "${SECRET}" } } }
  streams: { chunks: ["the key is ", "${SECRET}"], chunk_ms: 1, stdout: "the key is ${SECRET}" }
  says: { chunks: ["good ", "words"], chunk_ms: 1, stdout: "good words" }
  fails: { fail: provider_error, message: "the key was ${SECRET}" }
`;

let scene: Scene;

sceneForEach(SCRIPT, async (opened) => {
  scene = opened;
});

const one = async (id: string, mode: string, template = "hello"): Promise<string> => {
  await scene.save(
    `name: g\nformat: lens-graph/v1\nallow_secret_literals: true\nnodes: [{id: ${id}, config: {template_body: "${template}", moderation: "${mode}"}}]\nedges: []\n`,
  );
  return scene.run("g");
};

/** Everything that can be read of the run. */
const everything = async (runId: string, nodeId: string): Promise<string> => {
  const parts = await Promise.all(
    [`runs/${runId}/state`, `runs/${runId}/nodes/${nodeId}`, `runs/${runId}/provenance`, `runs/${runId}/verdicts`].map(
      (path) => scene.get(path),
    ),
  );
  return JSON.stringify([parts, await scene.events(runId)]);
};

describe("what a node is about to send", () => {
  it.each(["input", "both"])("is stopped before an adapter is called, under %s", async (mode) => {
    const runId = await one("a", mode, `use ${SECRET}`);
    expect(await scene.result(runId, "a")).toMatchObject({
      status: "failed",
      errorCode: "moderation_blocked",
      attempts: 0,
    });
    expect((await scene.events(runId, "moderation.flagged", "a"))[0]?.payload).toMatchObject({
      phase: "input",
      decision: { rule: "secrets" },
    });
    expect(await scene.events(runId, "node.started")).toEqual([]);
    expect(await scene.events(runId, "gate.decided")).toEqual([]);
    expect((await scene.get(`runs/${runId}`)).status).toBe("failed");
  });

  it.each(["off", "output"])("is not checked under %s", async (mode) => {
    const runId = await one("says", mode, `use ${SECRET}`);
    expect((await scene.statuses(runId))["says"]).toBe("completed");
    expect(await scene.events(runId, "moderation.flagged")).toEqual([]);
  });

  it("passes when nothing speaks against it", async () => {
    expect(await scene.statuses(await one("a", "both"))).toEqual({ a: "completed" });
  });
});

describe("what a node has brought back", () => {
  it.each(["output", "both"])("is stopped under %s, kept nowhere, and paid for", async (mode) => {
    const runId = await one("leaks", mode);
    expect(await scene.result(runId, "leaks")).toMatchObject({
      status: "failed",
      errorCode: "moderation_blocked",
      attempts: 1,
      costMicros: 500_000,
    });
    const flagged = await scene.events(runId, "moderation.flagged", "leaks");
    expect(flagged).toHaveLength(1);
    expect(flagged[0]?.payload).toMatchObject({ phase: "output", decision: { rule: "secrets" } });
    expect(await everything(runId, "leaks")).not.toContain(SECRET);
  });

  it("is looked through to the last field of its outputs", async () => {
    const runId = await one("hides", "output");
    expect(await scene.result(runId, "hides")).toMatchObject({ errorCode: "moderation_blocked" });
    expect(await everything(runId, "hides")).not.toContain(SECRET);
  });

  it("was not streamed before it was looked at", async () => {
    const runId = await one("streams", "output");
    expect(await scene.events(runId, "node.stream.delta")).toEqual([]);
    expect(await everything(runId, "streams")).not.toContain("the key is");
    const passed = await one("says", "output");
    const deltas = await scene.events(passed, "node.stream.delta", "says");
    expect(deltas.map(({ payload }) => payload.text).join("")).toBe("good words");
    expect((await scene.statuses(passed))["says"]).toBe("completed");
  });

  it("passes under input and off, streamed as it comes", async () => {
    for (const mode of ["input", "off"]) {
      const runId = await one("streams", mode);
      expect((await scene.statuses(runId))["streams"]).toBe("completed");
      expect((await scene.events(runId, "node.stream.delta")).length).toBeGreaterThan(0);
    }
  });

  it("is not tried again, and touches only what depends on it", async () => {
    await scene.save(`name: g
format: lens-graph/v1
nodes:
  - { id: leaks, config: { template_body: go, moderation: output, retry: { attempts: 3, backoff_ms: 1, retry_on: [provider_error, contract_violated] } } }
  - { id: below, config: { template_body: "[[p]]" } }
  - { id: beside, config: { template_body: "beside" } }
edges:
  - { id: e, source_node_id: leaks, target_node_id: below, target_param_label: p }
`);
    const runId = await scene.run("g");
    expect(await scene.statuses(runId)).toEqual({ leaks: "failed", below: "skipped", beside: "completed" });
    expect(await scene.events(runId, "node.retried")).toEqual([]);
  });

  it("is a failure as any other when the adapter failed", async () => {
    const runId = await one("fails", "both");
    expect(await scene.result(runId, "fails")).toMatchObject({ status: "failed", errorCode: "provider_error" });
  });

  it("leaves the node settled in every fold of the log", async () => {
    const runId = await one("leaks", "output");
    const types = (await scene.events(runId)).map(({ type }) => type);
    expect(types.indexOf("node.failed")).toBeGreaterThan(types.indexOf("moderation.flagged"));
    expect(types.at(-1)).toBe("run.failed");
  });
});
