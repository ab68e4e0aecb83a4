import { describe, expect, it } from "vitest";
import { createSystemClock } from "../../src/clock/index.ts";
import { Recoverer } from "../../src/launch/index.ts";
import { workflow } from "./rig.ts";
import { type Scene, sceneForEach } from "./scene.ts";

const SCRIPT = `default: echo
nodes:
  once: [{ fail: provider_error }, { stdout: fixed }]
  never: { fail: provider_error }
`;

let scene: Scene;

sceneForEach(SCRIPT, async (opened) => {
  scene = opened;
});

/** Looks for what may be recovered, by a clock that is so many seconds ahead. */
const lookAhead = async (seconds: number): Promise<void> => {
  const { api } = scene;
  const clock = { ...createSystemClock(), now: () => Date.now() + seconds * 1_000 };
  const parts = { store: api.store, runtime: api.runtime, governor: api.governance.governor, clock };
  await new Recoverer({ ...parts, onTrouble: (what) => api.troubles.push(what) }).look();
};

const failed = async (id: string, recovery?: object): Promise<string> => {
  await scene.save(workflow(["first", `${id} < first`, `after < ${id}`]));
  const runId = await scene.run("w", recovery === undefined ? {} : { recovery });
  expect((await scene.get(`runs/${runId}`)).status).toBe("failed");
  return runId;
};

describe("a run that may recover by itself", () => {
  it("does so after a while, in place, and says so in the commit that completes it", async () => {
    const runId = await failed("once", { max: 1 });
    await lookAhead(5);
    expect((await scene.get(`runs/${runId}`)).status).toBe("failed");
    await lookAhead(11);
    await scene.api.settle(runId);
    expect(await scene.get(`runs/${runId}`)).toMatchObject({ status: "completed", epoch: 1 });
    const events = await scene.events(runId);
    expect(events.slice(-2).map(({ type }) => type)).toEqual(["run.recovered", "run.completed"]);
    expect(events.map(({ eventId }) => eventId)).toEqual(events.map((_, index) => index + 1));
    const reopened = events.find(({ type, payload }) => type === "run.status.changed" && payload.epoch === 1);
    expect(reopened?.payload).toMatchObject({ from: "failed", to: "running" });
  });

  it("does again only what failed and what depends on it, and counts its attempts on", async () => {
    const runId = await failed("once", { max: 1 });
    await lookAhead(11);
    await scene.api.settle(runId);
    expect(await scene.result(runId, "first")).toMatchObject({ attempts: 1 });
    expect(await scene.result(runId, "once")).toMatchObject({ attempts: 2, status: "completed" });
    expect((await scene.events(runId, "node.started", "first")).map(({ payload }) => payload.attempt)).toEqual([1]);
    const undone = (await scene.events(runId, "node.invalidated")).map(({ payload }) => payload.nodeId);
    expect(new Set(undone)).toEqual(new Set(["once", "after"]));
  });

  it("does so as often as was allowed, each time later, and no more", async () => {
    const runId = await failed("never", { max: 2 });
    for (const [seconds, epoch] of [
      [11, 1],
      [15, 1],
      [21, 2],
      [100_000, 2],
    ] as const) {
      await lookAhead(seconds);
      await scene.api.settle(runId);
      expect(await scene.get(`runs/${runId}`)).toMatchObject({ status: "failed", epoch });
    }
  });

  it("does not unless it was asked to, nor when it was cancelled", async () => {
    const runId = await failed("once");
    await scene.save("name: gated\nsteps:\n  - { id: gate, approval: required }\n");
    const gated = await scene.run("gated", { recovery: { max: 3 } });
    await scene.post(`runs/${gated}/cancel`);
    await lookAhead(3_600);
    expect(await scene.get(`runs/${runId}`)).toMatchObject({ status: "failed", epoch: 0 });
    expect(await scene.get(`runs/${gated}`)).toMatchObject({ status: "cancelled", epoch: 0 });
  });

  it("passes the launch gates: a paused workflow and a closed platform wait", async () => {
    const runId = await failed("once", { max: 1 });
    await scene.api.request("PATCH", "workflows/w", { body: { status: "paused" } });
    await lookAhead(11);
    expect(await scene.get(`runs/${runId}`)).toMatchObject({ status: "failed", epoch: 0 });
    await scene.api.request("PATCH", "workflows/w", { body: { status: "active" } });
    await scene.api.request("PUT", "platform", { body: { open: false, reason: "night" } });
    await lookAhead(11);
    expect(await scene.get(`runs/${runId}`)).toMatchObject({ status: "failed", epoch: 0 });
    await scene.api.request("PUT", "platform", { body: { open: true } });
    await lookAhead(11);
    await scene.api.settle(runId);
    expect(await scene.get(`runs/${runId}`)).toMatchObject({ status: "completed", epoch: 1 });
  });

  it("is recovered once by many who look at the same time", async () => {
    const runId = await failed("never", { max: 5 });
    await Promise.all([lookAhead(11), lookAhead(11), lookAhead(11)]);
    await scene.api.settle(runId);
    expect((await scene.get(`runs/${runId}`)).epoch).toBe(1);
  });
});
