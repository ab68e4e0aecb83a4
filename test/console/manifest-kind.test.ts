import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { printYaml, readSource } from "../../src/core/text/index.ts";
import { KINDS, specOfKind } from "../../src/console/manifest/manifest-kind.ts";
import { fieldsOf } from "../../src/console/manifest/spec-fields.ts";
import { bodySchema } from "../../src/console/manifest/spec-schema.ts";
import { type Api, createApi } from "../api/fixture.ts";

let api: Api;
beforeAll(async () => {
  // Secrets are kept only where there is a key to seal them with.
  api = await createApi({}, undefined, { secretKey: "a key of the installation" });
  // A trigger has to name a workflow that is there.
  const source = "name: my-workflow\nargs: { title: string }\nsteps: [{ id: a, command: Read it. }]\n";
  expect((await api.request("PUT", "workflows/my-workflow", { body: { source } })).status).toBe(201);
});
afterAll(() => api.close());

describe("a spec as the console shows it", () => {
  // Gateways are shown in a form of their own.
  const plain = Object.values(KINDS).filter(({ kind }) => kind !== "Gateway");

  it.each(plain)(
    "is the one of $kind that was saved: saving it again changes nothing",
    async ({ kind, collection, sample }) => {
      // A secret that is public is not offered.
      const written = readSource(sample.replace('""', "a-secret-of-our-own")).tree?.value;
      expect((await api.request("PUT", `${collection}/sample`, { body: written })).status).toBe(201);
      const { body: shown } = await api.request("GET", `${collection}/sample`);
      const read = readSource(printYaml(specOfKind({ kind }, shown))).tree?.value;
      const again = await api.request("PUT", `${collection}/sample`, { body: read });
      expect(again.status).toBe(200);
      expect(again.body).toEqual(shown);
    },
  );
});

describe("the fields the console offers", () => {
  it.each(Object.values(KINDS).filter(({ kind }) => kind !== "LibraryStep"))(
    "are those the server checks $kind with: its sample has no others",
    async ({ collection, sample }) => {
      const { body: openApi } = await api.request("GET", "/openapi.json", { key: null });
      const schema = bodySchema(openApi, { collection });
      const names = fieldsOf(schema ?? {}).map(({ name }) => name);
      expect(names.length).toBeGreaterThan(0);
      const written = readSource(sample).tree?.value;
      for (const name of Object.keys(written as object)) expect(names).toContain(name);
    },
  );

  it("prints every field of an agent", async () => {
    const { body: openApi } = await api.request("GET", "/openapi.json", { key: null });
    const fields = fieldsOf(bodySchema(openApi, { collection: "agents" }) ?? {});
    expect(fields.find(({ name }) => name === "trust_level")).toMatchObject({
      type: "whole number",
      limits: "1 to 10",
      fallback: 1,
    });
    expect(fields.find(({ name }) => name === "rate_limit")?.members.map(({ name }) => name)).toEqual([
      "count",
      "per_seconds",
    ]);
    expect(bodySchema(openApi, { collection: "nothing" as never })).toBeNull();
  });
});
