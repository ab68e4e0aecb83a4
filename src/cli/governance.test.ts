import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { ADMIN, type Api, createApi, createNoonClock } from "../../test/api/fixture.ts";
import { callSluice } from "../../test/cli/terminal.ts";
import { serve } from "../server/index.ts";

const folder = mkdtempSync(join(tmpdir(), "sluice-governance-"));
const FILES = {
  "spend.lobsterX":
    "name: spend\nargs: { who: { type: string, default: Ada } }\nsteps:\n" +
    "  - { id: think, command: 'Think of ${who}', estimated_cost: 0.02 }\n" +
    "  - { id: send, command: Send it, action: write, depends_on: [think] }\n",
  "plain.lobsterX": "name: plain\nsteps:\n  - { id: think, command: Think }\n",
  "named.lobsterX": "name: named\nsteps:\n  - { id: think, command: Think, agent: ada }\n",
  "parent.lobsterX": "name: parent\nsteps:\n  - { id: sub, workflow_ref: plain }\n",
  "spend.script.yaml": "nodes: { think: { stdout: done, cost_usd: 0.02, tokens: { input: 7, output: 3 } } }\n",
  "policy.yaml":
    "kind: Policy\nname: no-send\nspec: { category: guardrail, condition: \"node.id == 'think'\", action: block }\n",
  "agents.yaml": "kind: Agent\nname: ada\nspec: {}\n",
  "broken.yaml": "kind: Policy\nname: bad\nspec: { category: guardrail, condition: 'node.id ==', action: block }\n",
  "registry/budget.yaml": "kind: Budget\nname: cap\nspec: { scope: global, period: daily, amount_usd: 0.01 }\n",
  "registry/posture.yaml":
    "kind: Workflow\nname: plain\nspec:\n  posture: advisory\n  source: |\n" +
    "    name: plain\n    steps:\n      - { id: think, command: Think }\n",
};

const write = (name: string, text: string): void => writeFileSync(join(folder, name), text);

let api: Api;
let served: Awaited<ReturnType<typeof serve>>;
beforeAll(async () => {
  mkdirSync(join(folder, "registry"));
  for (const [name, text] of Object.entries(FILES)) writeFileSync(join(folder, name), text);
  api = await createApi({}, FILES["spend.script.yaml"], { clock: createNoonClock() });
  served = await serve({ app: api.app, port: 0, host: "127.0.0.1" });
  await api.save(FILES["plain.lobsterX"]);
  await api.run("plain");
});
afterAll(async () => {
  await served.close(0);
  await api.close();
  rmSync(folder, { recursive: true, force: true });
});

const sluice = (argv: readonly string[], env: Record<string, string> = {}) => callSluice(argv, { cwd: folder, env });

/** With the server and the key for it. */
const there = (...argv: readonly string[]) => sluice(argv, { SLUICE_URL: served.url, SLUICE_KEY: ADMIN });

describe("sluice apply", () => {
  it("takes the workflows of a folder, and leaves out the files of their tests", async () => {
    mkdirSync(join(folder, "flows"));
    const named = "name: fresh\nsteps:\n  - { id: think, command: Think }\n";
    write("flows/fresh.lobsterX", named);
    write(
      "flows/fresh.cases.yaml",
      "workflow: fresh.lobsterX\ncases:\n  - { name: one, expect: { snapshot: true } }\n",
    );
    write("flows/fresh.script.yaml", "nodes: { think: { stdout: done } }\n");
    expect((await sluice(["test", "flows", "--update"])).code).toBe(0);
    expect(await there("apply", "flows", "--dry-run")).toMatchObject({
      code: 0,
      out: expect.stringMatching(/^Workflow fresh would be created\n/),
    });
  });
});

describe("sluice usage", () => {
  it("shows a table with totals", async () => {
    const { code, out } = await there("usage", "--by", "agent", "--since", "1d");
    expect(code).toBe(0);
    expect(out).toMatch(
      /^DAY +AGENT +CALLS +INPUT +OUTPUT +CACHED +COST\n\d{4}-\d\d-\d\d +default +1 +7 +3 +0 +\$0\.02\n/,
    );
    expect(out).toMatch(/\ntotal +1 +7 +3 +0 +\$0\.02\n$/);
  });

  it("prints what the API answers", async () => {
    const { out } = await there("usage", "--bucket", "hour", "--json");
    expect(JSON.parse(out)).toMatchObject({ bucket: "hour", by: null, totals: { costUsd: "0.02" } });
  });

  it("reports when there is nothing, and refuses what is no time", async () => {
    expect((await there("usage", "--until", "2020-01-01")).err).toMatch(/^nothing was used between 2019-/);
    expect(await there("usage", "--since", "soon")).toMatchObject({ code: 2, out: "" });
    expect((await sluice(["usage"])).code).toBe(5);
  });
});

describe("sluice policies backtest", () => {
  it("shows what would have changed", async () => {
    const { code, out } = await there("policies", "backtest", "policy.yaml", "--since", "30d");
    expect(code).toBe(0);
    expect(out).toContain("no-send@1: 1 of 1 verdict would change, 1 match\n");
    expect(out).toMatch(/BEFORE +AFTER +VERDICTS\nallow +block +1\n/);
    expect(out).toMatch(/run_\S+ +think +allow → block/);
  });

  it("prints what the API answers", async () => {
    const { out } = await there("policies", "backtest", "policy.yaml", "--json");
    expect(JSON.parse(out)).toMatchObject({ looked: 1, changed: 1, policy: { name: "no-send" } });
  });

  it("refuses what is no policy", async () => {
    expect(await there("policies", "backtest", "agents.yaml")).toMatchObject({ code: 2 });
    const broken = await there("policies", "backtest", "broken.yaml");
    expect(broken.code).toBe(2);
    expect(broken.err).toMatch(/^broken\.yaml:3:\d+: bad_expression: /);
  });
});

describe("sluice simulate with gates", () => {
  it("goes by the rules of a new organisation by default", async () => {
    const { code, out } = await sluice(["simulate", "spend.lobsterX"]);
    expect(code).toBe(0);
    expect(out).toMatch(/think +allow +– +\$0\.02 +\$0\.02 /);
    expect(out).toMatch(/send +hold +approval_required +– +– .* completed\n/);
    expect(out).toContain("send would wait for anyone who may approve: ");
    expect(out).toContain("verdicts  by the rules of a new organisation; --registry brings others\n");
    expect((await sluice(["simulate", "named.lobsterX"])).out).toContain("; ada taken as new agents;");
  });

  it("goes by manifests, and prints what would be blocked and why", async () => {
    const { code, out } = await sluice(["simulate", "spend.lobsterX", "--registry", "registry"]);
    expect(code).toBe(1);
    expect(out).toMatch(/think +block +budget_envelopes .* failed \(budget_exceeded\)\n/);
    expect(out).toContain("think would be blocked: budget cap (daily, global) ");
    expect(out).toContain("  hint: raise_budget Budget/cap: ");
  });

  it("reports with 6 that it would not even start", async () => {
    const { code, out } = await sluice(["simulate", "plain.lobsterX", "--registry", "registry/posture.yaml"]);
    expect(code).toBe(6);
    expect(out).toContain("would not start: execution_posture: posture_forbidden: ");
    expect(out).toContain("\nplain: refused\n");
  });

  it("opens every gate, or rejects every approval, as the flags say", async () => {
    const open = await sluice(["simulate", "spend.lobsterX", "--registry", "registry", "--governance", "none"]);
    expect(open).toMatchObject({ code: 0 });
    expect(open.out).toContain("verdicts  every gate is open\n");
    expect((await sluice(["simulate", "spend.lobsterX", "--approve", "reject"])).code).toBe(1);
  });

  it("lets a workflow start others, under the same gates", async () => {
    const { code, err, out } = await sluice(["simulate", "parent.lobsterX"]);
    expect({ code, err }).toEqual({ code: 0, err: "" });
    expect(out).toContain("parent: completed\n");
    expect(out).toContain("verdicts  by the rules of a new organisation");
  });

  it("goes by what is registered and spent on a server that is named", async () => {
    await api.request("PUT", "budgets/there", {
      body: { scope: "workflow", scope_id: "spend", amount_usd: 0.01, period: "daily" },
    });
    const live = await there("simulate", "spend.lobsterX", "--governance", "live");
    expect(live.code).toBe(1);
    expect(live.out).toContain("budget there (daily, workflow spend)");
    expect(live.out).toContain(`verdicts  by what is registered and spent at ${served.url} now\n`);
    const flagged = await sluice(["simulate", "plain@1", "--url", served.url, "--key", ADMIN, "--json"]);
    expect(JSON.parse(flagged.out)).toMatchObject({ workflow: "plain", governance: "live", status: "completed" });
    // Without the flag it asks no server.
    expect((await there("simulate", "spend.lobsterX")).code).toBe(0);
  });

  it("refuses what contradicts itself or cannot be read", async () => {
    const both = await sluice(["simulate", "spend.lobsterX", "--registry", "registry", "--url", served.url]);
    expect(both).toMatchObject({ code: 2, err: expect.stringContaining("exclude each other") });
    expect((await sluice(["simulate", "spend.lobsterX", "--registry", "broken.yaml"])).code).toBe(2);
    expect((await sluice(["simulate", "spend.lobsterX", "--governance", "some"])).code).toBe(2);
  });

  it("prints everything as JSON", async () => {
    const { out } = await sluice(["simulate", "spend.lobsterX", "--script", "spend.script.yaml", "--json"]);
    expect(JSON.parse(out)).toMatchObject({
      workflow: "spend",
      governance: "live",
      status: "completed",
      nodes: [
        { nodeId: "think", verdict: "allow", reservedMicros: 20_000, costMicros: 20_000 },
        { nodeId: "send", verdict: "hold", gate: "approval_required", waitsForPerson: true },
      ],
      forecast: { costMicros: 20_000, costUsd: "0.02", reservedMicros: 20_000, waitsForPerson: ["send"] },
    });
  });
});

describe("a launch that is refused", () => {
  it("ends with 6 and prints what would let it through", async () => {
    await api.request("PUT", "platform", { body: { open: false, reason: "fire" } });
    const { code, err } = await there("run", "plain", "--quiet");
    await api.request("PUT", "platform", { body: { open: true } });
    expect(code).toBe(6);
    expect(err).toContain("sluice: platform_closed: The platform is closed: fire");
    expect(err).toContain("  hint: open_platform platform: open the platform (kill switch)\n");
  });
});
