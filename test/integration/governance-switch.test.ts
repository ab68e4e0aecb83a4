import { afterEach, describe, expect, it } from "vitest";
import { type Api, createApi } from "../api/fixture.ts";
import { ORG } from "./support/governed.ts";
import { GovernedMachine } from "./support/governed-machine.ts";

const names = Array.from({ length: 80 }, (_, index) => `n${index}`);
const CHAIN = JSON.stringify({
  name: "w",
  steps: names.map((id, index) => ({ id, command: "go", depends_on: names.slice(Math.max(0, index - 1), index) })),
});
const SCRIPT = JSON.stringify({
  default: "echo",
  nodes: Object.fromEntries(names.map((id) => [id, { delay_ms: 90 }])),
});

describe("the kill switch", () => {
  it("stops every replica within its refresh, and lets them go on when it is opened", async () => {
    const machine = await GovernedMachine.open([], SCRIPT, 2);
    const runs = [await machine.launch(CHAIN, 0), await machine.launch(CHAIN, 1)];
    await machine.pass(1_234);
    const closedAt = machine.clock.now();
    await machine.store.putPlatform(ORG, { isOpen: false, reason: "drill" });
    await machine.pass(5_000);
    for (const runId of runs) {
      const starts = [...(await machine.starts(runId)).values()];
      expect(Math.max(...starts)).toBeGreaterThan(closedAt - 1_000);
      expect(Math.max(...starts)).toBeLessThanOrEqual(closedAt + 1_000);
      expect((await machine.store.getRun(ORG, runId))?.status).toBe("running");
    }
    await machine.store.putPlatform(ORG, { isOpen: true, reason: null });
    for (const runId of runs) expect(await machine.end(runId)).toBe("completed");
    expect(machine.troubles).toEqual([]);
  });

  it("stops those who wait for a slot as well", async () => {
    const machine = await GovernedMachine.open([["Agent", "default", { trust_level: 5, max_concurrent: 1 }]], SCRIPT);
    const runs = [await machine.launch(CHAIN), await machine.launch(CHAIN)];
    await machine.pass(2_000);
    await machine.store.putPlatform(ORG, { isOpen: false, reason: null });
    await machine.pass(1_000);
    const closedAt = machine.clock.now();
    await machine.pass(3_000);
    for (const runId of runs) expect(Math.max(...(await machine.starts(runId)).values())).toBeLessThanOrEqual(closedAt);
    expect(await machine.store.recount()).toEqual([]);
  });
});

describe("the kill switch, thrown here", () => {
  let api: Api;
  afterEach(() => api.close());

  it("counts at once: nothing is started, and nothing begins", async () => {
    api = await createApi({}, "default: echo\n");
    await api.save("name: gated\nsteps: [{ id: ok, approval: required }, { id: go, command: go, depends_on: [ok] }]\n");
    const runId = await api.run("gated");
    const { status } = await api.request("PUT", "platform", { body: { open: false, reason: "drill" } });
    expect(status).toBe(200);
    const refused = await api.request("POST", "runs", { body: { workflow: "gated" } });
    expect([refused.status, refused.body.code]).toEqual([503, "platform_closed"]);
    const { body } = await api.request("GET", "approvals?status=pending");
    await api.request("POST", `approvals/${body.data[0].id}/resolve`, { body: { decision: "approve" } });
    const types = (await api.store.readEvents(ORG, runId, 0, 100)).map(({ type }) => type);
    expect(types).toContain("node.retried");
    expect(types).not.toContain("node.started");
    await api.request("PUT", "platform", { body: { open: true } });
    expect(await api.settle(runId)).toBe("completed");
  });
});
