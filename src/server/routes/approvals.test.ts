import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { type Api, createApi, GATED } from "../../../test/api/fixture.ts";

let api: Api;
beforeAll(async () => {
  api = await createApi();
  await api.save(GATED);
});
afterAll(async () => {
  await api.close();
  expect(api.troubles).toEqual([]);
});

describe("an answer to an approval", () => {
  it("reads the approval once, and shows it as it was stored", async () => {
    await api.run("gated");
    const [{ id }] = (await api.request("GET", "approvals?status=pending")).body.data;
    const approvals = vi.spyOn(api.store, "getApproval");
    const runs = vi.spyOn(api.store, "getRun");
    const body = { decision: "reject", reason: "not like this" };
    const answered = await api.request("POST", `approvals/${id}/resolve`, { body });
    // The run is read by the driver, which checks whose it is.
    expect([answered.status, approvals.mock.calls.length, runs.mock.calls.length]).toEqual([200, 1, 1]);
    vi.restoreAllMocks();
    expect(answered.body).toMatchObject({ status: "rejected", decision: "reject", reason: "not like this" });
    expect((await api.request("GET", `approvals/${id}`)).body).toEqual(answered.body);
  });
});
