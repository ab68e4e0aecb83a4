import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { ADMIN, type Answer, type Api, createApi } from "../../../test/api/fixture.ts";
import { hashSecret } from "../secret.ts";

const FOUR_EYES = "name: four-eyes\nsteps:\n  - { id: decide, approval: required, separate_approver: true }\n";

let api: Api;
beforeAll(async () => {
  api = await createApi();
  await api.save(FOUR_EYES);
});
afterAll(() => api.close());

const replied = ({ status, body }: Answer): unknown => [status, body.code];
const idOf = async (secret: string): Promise<string> => (await api.store.findKey(hashSecret(secret)))?.id ?? "";

interface Minted {
  readonly id: string;
  readonly key: string;
  readonly createdBy: string;
}

async function mint(key: string, subject: object = { role: "admin" }): Promise<Minted> {
  const { status, body } = await api.request("POST", "keys", { key, body: { label: "made", ...subject } });
  expect(status).toBe(201);
  return body;
}

/** The approval of a run this key has started. */
async function requested(key: string): Promise<string> {
  const { body: run } = await api.request("POST", "runs", { key, body: { workflow: "four-eyes" } });
  await api.settle(run.id);
  const { body } = await api.request("GET", "approvals?status=pending&limit=100");
  return body.data.find(({ runId }: { runId: string }) => runId === run.id).id;
}

const approve = (id: string, key: string): Promise<Answer> =>
  api.request("POST", `approvals/${id}/resolve`, { key, body: { decision: "approve" } });

describe("a key", () => {
  it("says which key it was made with, and the first of all says none", async () => {
    const { id, createdBy } = await mint(ADMIN, { role: "viewer" });
    expect(createdBy).toBe(await idOf(ADMIN));
    const { body } = await api.request("GET", "keys?limit=100");
    const shown = body.data.find((key: Minted) => key.id === id);
    expect(shown).toMatchObject({ createdBy });
    expect(shown).not.toHaveProperty("key");
    expect(body.data.find((key: Minted) => key.id === createdBy)).toMatchObject({ createdBy: null });
  });

  it("revokes no key that may more than it does itself, and is revoked by one that may all of it", async () => {
    const manager = await mint(ADMIN, { permissions: ["keys:manage", "run:read"] });
    const approver = await mint(ADMIN, { role: "approver" });
    const refused = await api.request("DELETE", `keys/${approver.id}`, { key: manager.key });
    expect(replied(refused)).toEqual([403, "forbidden"]);
    expect(refused.body.detail).toContain("governance:approve");
    expect(replied(await api.request("DELETE", `keys/${await idOf(ADMIN)}`, { key: manager.key }))).toEqual([
      403,
      "forbidden",
    ]);
    expect((await api.request("GET", "session", { key: approver.key })).status).toBe(200);
    const reader = await mint(ADMIN, { permissions: ["run:read"] });
    expect((await api.request("DELETE", `keys/${reader.id}`, { key: manager.key })).status).toBe(204);
    expect((await api.request("DELETE", `keys/${manager.id}`, { key: manager.key })).status).toBe(204);
    expect(replied(await api.request("DELETE", "keys/key_none"))).toEqual([404, "unknown_api_key"]);
  });
});

describe("where another person has to answer", () => {
  it("a key the requester has made is the requester, directly or through others, revoked or not", async () => {
    const requester = await mint(ADMIN);
    const child = await mint(requester.key);
    const grandchild = await mint(child.key, { role: "approver" });
    const id = await requested(requester.key);
    for (const { key } of [requester, child, grandchild]) {
      expect(replied(await approve(id, key))).toEqual([403, "self_approval"]);
    }
    await api.request("DELETE", `keys/${child.id}`, { key: requester.key });
    expect(replied(await approve(id, grandchild.key))).toEqual([403, "self_approval"]);
    const other = await mint(ADMIN, { role: "approver" });
    expect((await approve(id, other.key)).status).toBe(200);
  });

  it("the maker of the requester's key may answer", async () => {
    const maker = await mint(ADMIN);
    const requester = await mint(maker.key);
    expect((await approve(await requested(requester.key), maker.key)).status).toBe(200);
  });

  it("the same holds for launches", async () => {
    const policy = { category: "run_creation", condition: "true", action: "require_approval", separate_approver: true };
    await api.request("PUT", "policies/ask", { body: policy });
    const requester = await mint(ADMIN);
    const child = await mint(requester.key);
    const refused = await api.request("POST", "runs", { key: requester.key, body: { workflow: "four-eyes" } });
    expect(replied(refused)).toEqual([403, "policy_blocked"]);
    const [{ target: id }] = refused.body.explanation.unblock;
    expect(replied(await approve(id, child.key))).toEqual([403, "self_approval"]);
    // It is not known who is behind the operator's own key.
    expect(replied(await approve(id, ADMIN))).toEqual([403, "self_approval"]);
    const other = await mint(ADMIN, { role: "approver" });
    expect((await approve(id, other.key)).status).toBe(200);
    await api.request("DELETE", "policies/ask");
  });
});
