import { describe, expect, it } from "vitest";
import { type Scene, sceneForEach } from "./scene.ts";

let scene: Scene;

sceneForEach("default: echo\n", async (opened) => {
  scene = opened;
});

const REFUNDS = { name: "pay/refund", action: "financial", effects: "at_most_once", approval: "required" };
const GRANT = { tool: "pay/refund", where: "tool.args.amount <= 50", run: "run_1", until: "2031-05-04T10:00:00Z" };

interface Audited {
  readonly type: string;
  readonly resource: string;
  readonly detail: { readonly action: string };
}

describe("tools and grants", () => {
  it("are registered, listed and deleted like everything else, and each change is audited", async () => {
    await scene.put("tools/refunds", REFUNDS);
    await scene.put("grants/small", GRANT);
    const { body: tools } = await scene.api.request("GET", "tools");
    expect(tools.data).toMatchObject([{ id: "refunds", name: "pay/refund", trusted: false, redact: [] }]);
    const { body: grant } = await scene.api.request("GET", "grants/small");
    expect(grant).toMatchObject({ id: "small", revision: 1, ...GRANT });
    expect((await scene.api.request("DELETE", "grants/small")).status).toBe(204);
    expect((await scene.api.request("GET", "grants/small")).body.code).toBe("unknown_grant");
    expect((await scene.api.request("GET", "tools/other")).body.code).toBe("unknown_tool");
    const { body: audit } = await scene.api.request("GET", "audit?limit=100");
    const changes = audit.data
      .filter(({ type }: Audited) => type === "config.applied")
      .map(({ resource, detail }: Audited) => `${detail.action} ${resource}`);
    expect(changes.toSorted()).toEqual(["created grant/small", "created tool/refunds", "deleted grant/small"]);
  });

  it("are refused with the place of what is wrong", async () => {
    const { status, body } = await scene.api.request("PUT", "grants/small", {
      body: { ...GRANT, where: "amount < 5" },
    });
    expect([status, body.problems]).toMatchObject([
      422,
      [{ code: "unknown_fact", path: "where", hint: "A grant sees tool.args." }],
    ]);
  });

  it("let a workflow be saved with a warning where nothing says what its tools are", async () => {
    const source = "name: w\nsteps:\n  - { id: a, command: go, tools: [pay/refund] }\n";
    const warnings = async (): Promise<readonly string[]> =>
      (await scene.api.request("POST", "validate", { body: { source } })).body.warnings.map(
        ({ code }: { code: string }) => code,
      );
    expect(await warnings()).toEqual(["tool_action_unknown"]);
    await scene.put("tools/refunds", { name: "pay/*" });
    expect(await warnings()).toEqual(["tool_action_unknown"]);
    await scene.put("tools/refunds", REFUNDS);
    expect(await warnings()).toEqual([]);
  });
});
