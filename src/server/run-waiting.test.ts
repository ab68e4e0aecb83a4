import { afterAll, beforeAll, expect, it } from "vitest";
import { type Api, createApi, ENDLESS, GATED } from "../../test/api/fixture.ts";

let api: Api;
beforeAll(async () => {
  api = await createApi();
  for (const source of [GATED, ENDLESS]) await api.save(source);
  await api.save("name: outer\nsteps:\n  - { id: inner, workflow_ref: gated }\n");
  await api.save(
    "name: outermost\nsteps:\n  - { id: outer, workflow_ref: outer }\n  - { id: other, workflow_ref: endless }\n",
  );
});
afterAll(() => api.close());

it("a run waits for a person as soon as one of its child runs does, whatever else it does", async () => {
  const runId = (await api.request("POST", "runs", { body: { workflow: "outermost" } })).body.id;
  const read = async (path: string) => (await api.request("GET", path)).body;
  const waiting = async () => (await read("runs?waiting_for=person&limit=100")).data;
  await expect.poll(async () => (await waiting()).length).toBe(3);
  expect((await waiting()).map(({ workflow }: { workflow: string }) => workflow).toSorted()).toEqual([
    "gated",
    "outer",
    "outermost",
  ]);
  expect((await waiting()).every(({ waitingFor }: { waitingFor: string }) => waitingFor === "person")).toBe(true);
  expect((await read(`runs/${runId}`)).waitingFor).toBe("person");
  expect((await read(`runs/${runId}/state`)).waitingFor).toBe("person");
  // Of an earlier moment only the run itself is known.
  expect((await read(`runs/${runId}/at/1`)).waitingFor).toBeNull();
  expect((await read("runs?workflow=endless")).data).toMatchObject([{ waitingFor: null }]);
  const [asked] = (await read("approvals?status=pending")).data;
  await api.request("POST", `approvals/${asked.id}/resolve`, { body: { decision: "approve" } });
  await expect.poll(async () => (await waiting()).length).toBe(0);
  expect((await read(`runs/${runId}/state`)).waitingFor).toBeNull();
  await api.request("POST", `runs/${runId}/cancel`, { body: {} });
});
