import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { ADMIN, type Answer, type Api, createApi, HELLO, STRANGER } from "../../../test/api/fixture.ts";

let api: Api;
beforeAll(async () => {
  api = await createApi();
});
afterAll(async () => {
  await api.close();
  expect(api.troubles).toEqual([]);
});

const YAML = { "content-type": "application/yaml" };
const apply = (body: unknown, query = "", key = ADMIN): Promise<Answer> =>
  api.request("POST", `apply${query}`, { body, key, ...(typeof body === "string" ? { headers: YAML } : {}) });
const indented = (text: string): string => text.replaceAll(/^(?=.)/gm, "    ");
const WORKFLOW = `kind: Workflow\nname: hello\nspec:\n  posture: approval_required\n  source: |\n${indented(HELLO)}`;

let made = 0;
let name = "";
beforeEach(() => {
  made += 1;
  name = `thing-${made}`;
});

describe("POST /apply", () => {
  it("creates, updates and leaves alone, with a diff of what changed", async () => {
    const stream = `kind: Agent\nname: ${name}\nspec: { trust_level: 3, skills: [law] }\n---\nkind: Policy\nname: ${name}\nspec: { category: guardrail, condition: "node.action == 'write'", action: block }\n`;
    const first = await apply(stream);
    expect([first.status, first.body.applied]).toMatchObject([
      200,
      [
        { kind: "Agent", name, action: "created" },
        { kind: "Policy", name, action: "created" },
      ],
    ]);
    expect(first.body.applied[0].diff).toContain("+trust_level: 3\n");
    expect((await apply(stream)).body).toEqual({
      applied: [
        { kind: "Agent", name, action: "unchanged" },
        { kind: "Policy", name, action: "unchanged" },
      ],
    });
    const next = await apply(stream.replace("trust_level: 3", "trust_level: 4"));
    expect(next.body.applied).toEqual([
      { kind: "Agent", name, action: "updated", diff: expect.stringContaining("-trust_level: 3\n+trust_level: 4\n") },
      { kind: "Policy", name, action: "unchanged" },
    ]);
    expect((await api.request("GET", `agents/${name}`)).body).toMatchObject({ trustLevel: 4, revision: 2 });
    expect((await api.request("GET", `policies/${name}`)).body).toMatchObject({ revision: 1 });
  });

  it("takes one manifest or a list as JSON", async () => {
    const agent = { kind: "Agent", name, spec: {} };
    expect((await apply(agent)).body.applied).toMatchObject([{ action: "created" }]);
    expect((await apply([agent])).body.applied).toMatchObject([{ action: "unchanged" }]);
    expect((await apply([])).body).toEqual({ applied: [] });
  });

  it("writes nothing on a dry run, and says what it would", async () => {
    const stream = `kind: Agent\nname: ${name}\nspec: {}\n`;
    const dry = await apply(stream, "?dryRun=true");
    expect([dry.status, dry.body.applied]).toMatchObject([200, [{ action: "created" }]]);
    expect((await api.request("GET", `agents/${name}`)).status).toBe(404);
    expect((await apply(stream, "?dryRun=false")).status).toBe(200);
    expect((await api.request("GET", `agents/${name}`)).status).toBe(200);
    expect((await apply(stream, "?dryRun=maybe")).status).toBe(422);
  });

  it("applies all or nothing, with places line by line", async () => {
    const before = await api.store.configVersions();
    const stream = `kind: Agent\nname: ${name}\nspec:\n  trust_level: 3\n---\nkind: Agent\nname: other\nspec:\n  trust_level: 11\n  statuss: idle\n---\nkind: Agnet\nname: x\nspec: {}\n`;
    const { status, body, headers } = await apply(stream);
    expect([status, body.code]).toEqual([422, "invalid_request"]);
    expect(headers.get("content-type")).toContain("application/problem+json");
    expect(body.applied).toMatchObject([
      { kind: "Agent", name, action: "created" },
      {
        kind: "Agent",
        name: "other",
        action: "invalid",
        problems: [
          { code: "bad_number", path: "spec.trust_level", line: 9, column: 16 },
          { code: "unknown_key", path: "spec.statuss", line: 10, column: 3, hint: 'Did you mean "status"?' },
        ],
      },
      { kind: "Agnet", action: "invalid", problems: [{ code: "bad_enum", path: "kind", line: 12, column: 7 }] },
    ]);
    expect(body.problems).toMatchObject([
      { path: "[1].spec.trust_level" },
      { path: "[1].spec.statuss" },
      { path: "[2].kind" },
    ]);
    expect((await api.request("GET", `agents/${name}`)).status).toBe(404);
    expect(await api.store.configVersions()).toEqual(before);
    expect((await apply(stream, "?dryRun=true")).status).toBe(422);
  });

  it.each([
    ["kind: Agent\nspec: {}\n", "missing_field", "name"],
    ["kind: Agent\nname: a\n", "missing_field", "spec"],
    ["name: a\nspec: {}\n", "missing_field", "kind"],
    ["kind: Agent\nname: 7\nspec: {}\n", "wrong_type", "name"],
    ["kind: Agent\nname: a b\nspec: {}\n", "bad_name", "name"],
    ["kind: Agent\nname: a\nspec: []\n", "wrong_type", "spec"],
    ["kind: Agent\nname: a\nspec: {}\nmetadata: {}\n", "unknown_key", "metadata"],
    ["- 1\n", "wrong_type", ""],
    ["kind: Gateway\nname: g\nspec: { name: '' }\n", "bad_name", "spec.name"],
    ["kind: Agent\nname: a\nspec: {}\n---\nkind: Agent\nname: a\nspec: {}\n", "duplicate_id", "name"],
  ])("refuses %j", async (stream, code, path) => {
    const { status, body } = await apply(stream);
    expect(status).toBe(422);
    expect(body.applied.flatMap((one: { problems?: object[] }) => one.problems ?? [])).toMatchObject([{ code, path }]);
  });

  it.each([
    ["a: [\n", "yaml_syntax"],
    ["", "yaml_empty"],
    ["kind: &x Agent\nname: *x\n", "yaml_alias"],
  ])("refuses the text %j", async (stream, code) => {
    const { status, body } = await apply(stream);
    expect([status, body.problems[0].code]).toEqual([422, code]);
  });

  it("saves workflows with the rest, and knows their settings", async () => {
    const first = await apply(WORKFLOW);
    expect(first.body.applied).toMatchObject([{ kind: "Workflow", name: "hello", action: "created" }]);
    expect(first.body.applied[0].diff).toContain("+name: hello\n");
    expect((await api.request("GET", "workflows/hello")).body).toMatchObject({
      version: 1,
      status: "active",
      posture: "approval_required",
      exposed: false,
    });
    expect((await apply(WORKFLOW)).body.applied).toEqual([{ kind: "Workflow", name: "hello", action: "unchanged" }]);
    const moved = WORKFLOW.replace("posture: approval_required", "status: paused\n  exposed: true");
    expect((await apply(moved)).body.applied).toEqual([
      {
        kind: "Workflow",
        name: "hello",
        action: "updated",
        diff: "-status: active\n+status: paused\n-exposed: false\n+exposed: true\n",
      },
    ]);
    expect((await api.request("GET", "workflows/hello")).body).toMatchObject({
      version: 1,
      status: "paused",
      posture: "approval_required",
      exposed: true,
    });
  });

  it("shows a mistake inside a workflow at its line of the stream, and saves nothing beside it", async () => {
    const stream = `kind: Agent\nname: ${name}\nspec: {}\n---\n${WORKFLOW.replace("command:", "comand:")}`;
    const { status, body } = await apply(stream);
    expect(status).toBe(422);
    const [problem] = body.applied[1].problems.filter(({ code }: { code: string }) => code === "unknown_key");
    expect(problem).toMatchObject({ path: "spec.source", line: 15, column: 22 });
    expect(stream.split("\n")[14]?.slice(21)).toMatch(/^comand/);
    expect((await api.request("GET", `agents/${name}`)).status).toBe(404);
    const misnamed = await apply(WORKFLOW.replace("name: hello\nspec", "name: other\nspec"));
    expect(misnamed.body.applied).toMatchObject([
      { action: "invalid", problems: [{ code: "bad_name", path: "spec.source" }] },
    ]);
  });

  it("registers gateways with tokens that are compared and never shown", async () => {
    const stream = `kind: Gateway\nname: ${name}\nspec:\n  url: http://127.0.0.1:9\n  providers: [http]\n  callback_token: cbt_12345678\n  dispatch_token: dsp_12345678\n`;
    const first = await apply(stream);
    expect(first.body.applied).toMatchObject([{ action: "created" }]);
    expect(JSON.stringify(first.body)).not.toMatch(/_12345678/);
    expect((await apply(stream)).body.applied).toEqual([{ kind: "Gateway", name, action: "unchanged" }]);
    expect(await api.gateways.directory.authenticate("cbt_12345678")).toMatchObject({ gatewayId: name });
    const rotated = await apply(stream.replace("cbt_1", "cbt_9"));
    expect(rotated.body.applied).toEqual([
      { kind: "Gateway", name, action: "updated", diff: "+callback_token: (a new value, which is not shown)\n" },
    ]);
    expect(await api.gateways.directory.authenticate("cbt_92345678")).toMatchObject({ gatewayId: name });
    expect((await api.request("GET", `gateways/${name}`)).body).toMatchObject({ providers: ["http"] });
  });

  it("treats what every organisation has as being there", async () => {
    const { body } = await apply("kind: Agent\nname: default\nspec: { trust_level: 6, max_concurrent: 50 }\n");
    expect(body.applied).toEqual([
      {
        kind: "Agent",
        name: "default",
        action: "updated",
        diff: expect.stringContaining("-trust_level: 5\n+trust_level: 6\n"),
      },
    ]);
    await api.request("DELETE", "agents/default");
  });

  it("lets a key write the kinds its permissions are for", async () => {
    const author = await api.key("author");
    const viewer = await api.key("viewer");
    const registrar = await api.key(["governance:read", "registry:write"]);
    const agent = `kind: Agent\nname: ${name}\nspec: {}\n`;
    const budget = `kind: Budget\nname: ${name}\nspec: { scope: global, period: daily, amount_usd: 1 }\n`;
    expect((await apply(WORKFLOW, "", author)).status).toBe(200);
    expect((await apply(`${WORKFLOW}---\n${agent}`, "", author)).body).toMatchObject({
      code: "forbidden",
      detail: "To write an agent the key needs the permission registry:write.",
    });
    expect((await apply(agent, "?dryRun=true", viewer)).status).toBe(403);
    expect((await apply(agent, "", registrar)).status).toBe(200);
    expect((await apply(budget, "", registrar)).status).toBe(403);
    expect((await apply(budget)).status).toBe(200);
  });

  it("keeps organisations apart", async () => {
    const agent = `kind: Agent\nname: ${name}\nspec: {}\n`;
    await apply(agent);
    expect((await apply(agent, "", STRANGER)).body.applied).toMatchObject([{ action: "created" }]);
  });

  it("takes up to 8 MiB, also as a stream of documents, and up to 1,000 manifests", async () => {
    const note = "x".repeat(60_000);
    const many = Array.from(
      { length: 40 },
      (_, index) =>
        `kind: Agent\nname: big-${index}\nspec:\n  trust_level: ${index === 39 ? 11 : 1}\n  system_prompt: ${note}\n`,
    ).join("---\n");
    const { status, body } = await apply(many, "?dryRun=true");
    expect([status, body.applied.length]).toEqual([422, 40]);
    expect(body.problems).toMatchObject([{ path: "[39].spec.trust_level", line: 39 * 6 + 4, column: 16 }]);
    expect((await apply("x".repeat(8_388_609))).status).toBe(413);
    const lens = (count: number): object[] =>
      Array.from({ length: count }, (_, index) => ({ kind: "Agent", name: `a${index}`, spec: {} }));
    expect((await apply(lens(1_001), "?dryRun=true")).status).toBe(422);
    expect((await apply(lens(1_000), "?dryRun=true")).status).toBe(200);
  });

  it("is recorded in the audit", async () => {
    await apply(
      `kind: Agent\nname: ${name}\nspec: { trust_level: 2 }\n---\nkind: Team\nname: ${name}\nspec: { members: [{ agent: a }] }\n`,
    );
    expect(await api.store.listPendingOrganisations(0, 10)).toContain("default");
  });
});
