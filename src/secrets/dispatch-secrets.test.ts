import { describe, expect, it } from "vitest";
import { stubRequest } from "../../test/gateway/stub-adapter.ts";
import { secretsOver } from "../../test/secrets/secrets-over.ts";
import type { AdapterRequest } from "../adapter/index.ts";
import { createSecretBox, sealSecrets, secretPlace } from "../seal/index.ts";
import { createMemoryStore } from "../store/index.ts";
import { DispatchSecrets } from "./dispatch-secrets.ts";

const ORG = "org_1";
const box = createSecretBox("key");
const PLACE = { orgId: ORG, gatewayId: "eu", provider: "http", workflow: "refund" };

async function setUp() {
  const store = createMemoryStore();
  const scopesOf = { billing: ["gateway:eu"], search: ["tool:search", "workflow:refund"], far: ["gateway:us"] };
  for (const [id, scopes] of Object.entries(scopesOf)) {
    const secrets = sealSecrets(box, secretPlace(ORG, "secret", id), { value: `value of ${id}` });
    await store.applyEntries(ORG, [{ change: "put", kind: "secret", id, body: { scopes, version: 1 }, secrets }], 1);
  }
  const references = [
    { name: "billing", tool: "billing" },
    { name: "search", tool: "search" },
    { name: "search", tool: "billing" },
    { name: "far", tool: "search" },
    { name: "absent", tool: null },
  ];
  const handed = new DispatchSecrets({
    secrets: secretsOver(store, box),
    referencesOf: (_org, gatewayId, provider) => (gatewayId === "none" || provider !== "http" ? [] : references),
  });
  const ask = (request: Partial<AdapterRequest>, place: Partial<typeof PLACE> = {}) =>
    handed.forDispatch({ ...PLACE, ...place }, () => stubRequest(request))?.();
  return { store, ask };
}

describe("the secrets of a dispatch", () => {
  it("are those its adapter names for a tool the request speaks of, each judged by itself", async () => {
    const { ask } = await setUp();
    expect(await ask({ message: "POST billing" })).toMatchObject([
      { name: "billing", tool: "billing", value: "value of billing" },
      { name: "search", tool: "billing", code: "secret_out_of_scope" },
      { name: "absent", tool: null, code: "unknown_secret" },
    ]);
    expect(await ask({ message: "find it", tools: ["search/find"] })).toMatchObject([
      { name: "search", tool: "search", value: "value of search" },
      { name: "far", tool: "search", code: "secret_out_of_scope" },
      { name: "absent", tool: null },
    ]);
    expect(await ask({ message: "-", inputs: { target: "billing" } })).toHaveLength(3);
    expect(await ask({ message: "-", model: "billing" })).toHaveLength(3);
    expect(await ask({ message: "-", tool: "billing" })).toHaveLength(3);
    expect(await ask({ message: "-", stdin: '{"tool":"billing"}' })).toHaveLength(3);
    expect(await ask({ message: "-", inputs: { calls: [{ to: "billing" }] } })).toHaveLength(3);
  });

  it.each([
    ["*", ["billing", "search"]],
    ["*/find", ["billing", "search"]],
    ["sea*/find", ["search"]],
    ["bill*", ["billing"]],
    ["search/f*", ["search"]],
    ["b*/find", ["billing"]],
    ["x*", []],
    ["x*/billing-*", ["billing"]],
  ])("are those of the tools that the pattern %s may fit", async (pattern, tools) => {
    const { ask } = await setUp();
    const found = (await ask({ message: "-", tools: [pattern] })) ?? [];
    expect([...new Set(found.flatMap(({ tool }) => tool ?? []))]).toEqual(tools);
  });

  it("are none for the tools that the server runs", async () => {
    const { ask } = await setUp();
    const stepTools = [{ name: "billing", parameters: {} }];
    expect(await ask({ message: "-", stepTools })).toMatchObject([{ name: "absent", tool: null }]);
  });

  it("are none for another workflow, gateway or agent than their scopes name", async () => {
    const { ask } = await setUp();
    const search = await ask({ message: "search" }, { workflow: "other" });
    expect(search?.[0]).toMatchObject({ name: "search", code: "secret_out_of_scope" });
    const billing = await ask({ message: "billing" }, { gatewayId: "us" });
    expect(billing?.[0]).toMatchObject({ name: "billing", code: "secret_out_of_scope" });
  });

  it("need no waiting where nothing is named, and the request is not even made", async () => {
    const { store, ask } = await setUp();
    expect(ask({}, { gatewayId: "none" })).toBeUndefined();
    expect(ask({}, { provider: "mcp" })).toBeUndefined();
    expect(await store.secretUses(ORG)).toEqual(new Map());
  });
});
