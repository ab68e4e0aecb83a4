import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Api, createApi, ENDLESS, HELLO, ORG, STRANGER } from "../../../test/api/fixture.ts";

const PARENT = `name: parent
steps:
  - { id: child, workflow_ref: hello, with: { who: Ann } }
`;

let api: Api;
beforeAll(async () => {
  api = await createApi();
  for (const source of [HELLO, ENDLESS, PARENT]) await api.save(source);
});
afterAll(() => api.close());

const replied = async (method: string, path: string, options = {}): Promise<readonly [number, string | undefined]> => {
  const { status, body } = await api.request(method, path, options);
  return [status, body?.code];
};

describe("a run that is deleted", () => {
  it("is gone with its child runs, and the audit says who did it", async () => {
    const runId = await api.run("parent");
    const [child] = (await api.request("GET", `runs?parent=${runId}`)).body.data;
    expect(await replied("DELETE", `runs/${child.id}`)).toEqual([409, "run_has_parent"]);
    expect((await api.ask("DELETE", `runs/${runId}`)).status).toBe(204);
    for (const id of [runId, child.id]) {
      for (const path of ["", "/state", "/events", "/packet", "/verdicts"]) {
        expect(await replied("GET", `runs/${id}${path}`)).toEqual([404, "unknown_run"]);
      }
    }
    expect((await api.request("GET", "runs?workflow=parent")).body.data).toEqual([]);
    expect(await replied("DELETE", `runs/${runId}`)).toEqual([404, "unknown_run"]);
    const { data } = (await api.request("GET", "audit?type=run.deleted")).body;
    expect(data).toMatchObject([
      {
        category: "lifecycle",
        resource: `run/${runId}`,
        run: runId,
        detail: { workflow: "parent", runs: 2, cause: "request" },
      },
    ]);
    expect((await api.request("GET", `audit?run=${runId}&type=run.finished`)).body.data).toHaveLength(1);
    expect((await api.request("GET", "audit/verify")).body.ok).toBe(true);
  });

  it("takes no input any more, although it was in memory a moment ago", async () => {
    const runId = await api.run("hello", { who: "Ann" });
    expect((await api.ask("DELETE", `runs/${runId}`)).status).toBe(204);
    expect(await api.runtime.submit(ORG, runId, { type: "rewind", eventId: 2, isConsumed: false })).toBeUndefined();
    expect(await replied("POST", `runs/${runId}/restart`)).toEqual([404, "unknown_run"]);
    expect(await replied("GET", `runs/${runId}`)).toEqual([404, "unknown_run"]);
  });

  it("has ended, and nothing open was started from it", async () => {
    const open = (await api.request("POST", "runs", { body: { workflow: "endless" } })).body.id;
    expect(await replied("DELETE", `runs/${open}`)).toEqual([409, "run_not_finished"]);
    await api.request("POST", `runs/${open}/cancel`);
    await api.settle(open);
    const again = (await api.request("POST", `runs/${open}/restart`)).body.id;
    const refused = await api.request("DELETE", `runs/${open}`);
    expect([refused.status, refused.body.code]).toEqual([409, "run_in_use"]);
    expect(refused.body.detail).toContain(again);
    await api.request("POST", `runs/${again}/cancel`);
    await api.settle(again);
    expect((await api.ask("DELETE", `runs/${open}`)).status).toBe(204);
    expect((await api.request("GET", `runs/${again}`)).body.sourceRunId).toBe(open);
  });

  it("belongs to the organisation, and only an admin deletes it", async () => {
    const runId = await api.run("hello", { who: "Ann" });
    expect(await replied("DELETE", `runs/${runId}`, { key: STRANGER })).toEqual([404, "unknown_run"]);
    for (const role of ["viewer", "author", "operator", "approver"] as const) {
      expect(await replied("DELETE", `runs/${runId}`, { key: await api.key(role) })).toEqual([403, "forbidden"]);
    }
    expect((await api.ask("DELETE", `runs/${runId}`, { key: await api.key(["run:delete"]) })).status).toBe(204);
  });
});
