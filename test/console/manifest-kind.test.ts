import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { readSource } from "../../src/core/text/index.ts";
import { KINDS, specOf } from "../../src/console/screens/settings/manifest-kind.ts";
import { printYaml } from "../../src/console/screens/settings/print-yaml.ts";
import { type Api, createApi } from "../api/fixture.ts";

let api: Api;
beforeAll(async () => {
  api = await createApi();
});
afterAll(() => api.close());

describe("a spec as the console shows it", () => {
  // Gateways are shown in a form of their own.
  const plain = Object.values(KINDS).filter(({ kind }) => kind !== "Gateway");

  it.each(plain)(
    "is the one of $kind that was saved: saving it again changes nothing",
    async ({ collection, sample }) => {
      const written = readSource(sample).tree?.value;
      expect((await api.tell("PUT", `${collection}/sample`, { body: written })).status).toBe(201);
      const { body: shown } = await api.tell("GET", `${collection}/sample`);
      const read = readSource(printYaml(specOf(shown))).tree?.value;
      const again = await api.tell("PUT", `${collection}/sample`, { body: read });
      expect(again.status).toBe(200);
      expect(again.body).toEqual(shown);
    },
  );
});
