import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Api, createApi, HELLO, STRANGER } from "../../../test/api/fixture.ts";

let api: Api;
let runId: string;
beforeAll(async () => {
  api = await createApi();
  await api.save(HELLO);
  runId = await api.run("hello", { who: "Ada" });
});
afterAll(() => api.close());

const DRAFT = { category: "guardrail", condition: "node.id == 'thank'", action: "block", reason: "no thanks" };
const tried = (body: object, key?: string) =>
  api.request("POST", "policies/backtest", { body, ...(key === undefined ? {} : { key }) });

describe("a backtest", () => {
  it("says what would have changed, with examples, and changes nothing", async () => {
    const { status, body } = await tried({ policy: DRAFT });
    expect(status).toBe(200);
    expect(body).toMatchObject({
      policy: { name: "draft", version: 1 },
      since: null,
      looked: 2,
      isLimited: false,
      unreadable: 0,
      matched: 1,
      changed: 1,
      notes: [],
    });
    expect(new Set(body.counts.map((pair: object) => JSON.stringify(pair)))).toEqual(
      new Set(['{"before":"allow","after":"allow","count":1}', '{"before":"allow","after":"block","count":1}']),
    );
    expect(body.examples).toMatchObject([
      { runId, nodeId: "thank", agentId: "default", before: "allow", after: "block", gate: "policy_rules" },
    ]);
    expect(body.examples[0].verdictId).toContain(runId);
    expect((await api.request("GET", "policies")).body.data).toEqual([]);
  });

  it("takes a manifest, and the version it would become", async () => {
    await api.request("PUT", "policies/thanks", { body: { ...DRAFT, enabled: false } });
    const { body } = await tried({ policy: { kind: "Policy", name: "thanks", spec: DRAFT } });
    expect(body).toMatchObject({ policy: { name: "thanks", version: 2 }, changed: 1 });
  });

  it("looks no further back than asked", async () => {
    expect((await tried({ policy: DRAFT, since: "1h" })).body.looked).toBe(2);
    expect((await tried({ policy: DRAFT, since: "2999-01-01" })).body).toMatchObject({ looked: 0, counts: [] });
  });

  it("says why a draft changes nothing", async () => {
    const notes = async (more: object): Promise<string> =>
      (await tried({ policy: { ...DRAFT, ...more } })).body.notes.join();
    expect(await notes({ enabled: false })).toContain("not enabled");
    expect(await notes({ category: "run_creation", condition: "true" })).toContain("run_creation");
    expect(await notes({ enforcement: "soft" })).toContain("never changes");
  });

  it.each<[string, object, string, string]>([
    ["a condition that cannot be read", { ...DRAFT, condition: "node.id ==" }, "bad_expression", "policy.condition"],
    ["an unknown key", { ...DRAFT, akshun: 1 }, "unknown_key", "policy.akshun"],
    ["nothing", {}, "missing_field", "policy.condition"],
    ["another kind", { kind: "Budget", name: "b", spec: {} }, "bad_enum", "policy.kind"],
    ["a manifest without a name", { kind: "Policy", spec: DRAFT }, "missing_field", "policy.name"],
    ["a name that is no text", { ...DRAFT, name: 7 }, "wrong_type", "policy.name"],
  ])("refuses %s", async (_, policy, code, path) => {
    const { status, body } = await tried({ policy });
    expect(status).toBe(422);
    expect(body.problems).toContainEqual(expect.objectContaining({ code, path }));
  });

  it("refuses a moment that is none", async () => {
    expect((await tried({ policy: DRAFT, since: "soon" })).body.problems).toMatchObject([{ path: "since" }]);
  });

  it("sees only the verdicts of its own organisation", async () => {
    expect((await tried({ policy: DRAFT }, STRANGER)).body.looked).toBe(0);
    expect((await tried({ policy: DRAFT }, await api.key(["run:read"]))).status).toBe(403);
  });
});
