import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Api, createApi } from "../../../test/api/fixture.ts";
import { definitionHashOf } from "../../core/definition/index.ts";

let api: Api;
beforeAll(async () => {
  api = await createApi();
});
afterAll(() => api.close());

const SOURCE = "name: made\nsteps: [{ id: a, command: Do it. }]\n";
const SPELT_OUT = JSON.stringify({ name: "made", completion: "strict", steps: [{ id: "a", command: "Do it." }] });

describe("a version", () => {
  it("has the hash of its definition, and says how it was written", async () => {
    const definitionHash = definitionHashOf(SOURCE);
    const checked = await api.request("POST", "validate", { body: { source: SOURCE } });
    expect(checked.body).toMatchObject({ ok: true, definitionHash });
    const first = await api.request("PUT", "workflows/made", { body: { source: SOURCE } });
    expect(first).toMatchObject({ status: 201, body: { version: 1, definitionHash, origin: "file" } });
    const second = await api.request("PUT", "workflows/made", { body: { source: SPELT_OUT, origin: "code" } });
    expect(second).toMatchObject({ status: 201, body: { version: 2, definitionHash, origin: "code" } });
    const again = await api.request("PUT", "workflows/made", { body: { source: SPELT_OUT, origin: "code" } });
    expect(again).toMatchObject({ status: 200, body: { version: 2, origin: "code" } });
    const shown = { definitionHash, origin: "code" };
    expect(await api.request("GET", "workflows/made")).toMatchObject({ body: shown });
    expect(await api.request("GET", "workflows")).toMatchObject({ body: { data: [shown] } });
    const old = await api.request("GET", "workflows/made/versions/1");
    expect(old).toMatchObject({ body: { definitionHash, origin: "file" } });
  });

  it("of another origin is refused", async () => {
    const wrong = await api.request("PUT", "workflows/made", { body: { source: SOURCE, origin: "magic" } });
    expect(wrong.status).toBe(422);
  });

  it("is applied with its origin", async () => {
    const apply = (origin: string) => {
      const manifest = { kind: "Workflow", name: "made", spec: { source: SOURCE, origin } };
      return api.request("POST", "apply", { body: [manifest] });
    };
    expect(await apply("code")).toMatchObject({ body: { applied: [{ action: "updated" }] } });
    expect(await apply("code")).toMatchObject({ body: { applied: [{ action: "unchanged" }] } });
    expect(await apply("file")).toMatchObject({ body: { applied: [{ action: "updated" }] } });
    expect(await api.request("GET", "workflows/made")).toMatchObject({ body: { version: 4, origin: "file" } });
  });
});
