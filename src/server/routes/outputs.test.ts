import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Api, createApi, ENDLESS, HELLO } from "../../../test/api/fixture.ts";

const SUMS = `name: sums
args: { n: 3 }
outputs: { twice: { expr: n * 2 }, steps: "\${many.count}" }
steps:
  - { id: many, for_each: "range(0, 600)", set: { v: "\${item}" } }
`;

const WRONG = `name: wrong
args: { o: { type: object, default: {} } }
outputs: { gone: "\${s.v.nowhere}" }
steps:
  - { id: s, set: { v: "\${o}" } }
`;

const PARENT = `name: parent
outputs: { twice: "\${child.twice}" }
steps:
  - { id: child, workflow_ref: sums, with: { n: { expr: 2 + 3 } } }
`;

let api: Api;
beforeAll(async () => {
  api = await createApi({});
  for (const source of [HELLO, ENDLESS, SUMS, WRONG, PARENT]) await api.save(source);
});
afterAll(() => api.close());

describe("outputs of a run", () => {
  it("come with the answer of a start that waits, and stay with the run", async () => {
    const started = await api.request("POST", "runs?wait=20", { body: { workflow: "sums" } });
    expect([started.status, started.body]).toMatchObject([
      201,
      { status: "completed", outputs: { twice: 6, steps: 600 } },
    ]);
    const shown = await api.request("GET", `runs/${started.body.id}`);
    expect(shown.body.outputs).toEqual({ twice: 6, steps: 600 });
    const state = await api.request("GET", `runs/${started.body.id}/state`);
    expect(state.body.outputs).toEqual({ twice: 6, steps: 600 });
    const listed = await api.request("GET", "runs?workflow=sums");
    expect(listed.body.data[0]).not.toHaveProperty("outputs");
  });

  it("are those of the last nodes where the document names none", async () => {
    const { body } = await api.request("POST", "runs?wait=20", { body: { workflow: "hello", args: { who: "ann" } } });
    expect(Object.keys(body.outputs).length).toBeGreaterThan(0);
    const state = await api.request("GET", `runs/${body.id}/state`);
    expect(state.body.outputs).toBeNull();
  });

  it("are handed to the parent of a child run", async () => {
    const { body } = await api.request("POST", "runs?wait=20", { body: { workflow: "parent" } });
    expect(body).toMatchObject({ status: "completed", outputs: { twice: 10 } });
  });

  it("fail the run that cannot give them", async () => {
    const { body } = await api.request("POST", "runs?wait=20", { body: { workflow: "wrong" } });
    expect(body.status).toBe("failed");
    expect(body).not.toHaveProperty("outputs");
    const { body: log } = await api.request("GET", `runs/${body.id}/events`);
    const failed = log.data.find(({ type }: { type: string }) => type === "run.failed");
    expect(failed.payload).toMatchObject({ errorCode: "outputs_error" });
  });

  it("are waited for no longer than asked, and asked for in seconds", async () => {
    const { status, body } = await api.request("POST", "runs?wait=0", { body: { workflow: "endless" } });
    expect([status, body.status === "completed"]).toEqual([201, false]);
    for (const wait of ["-1", "31", "x", "1.5"]) {
      const refused = await api.request("POST", `runs?wait=${wait}`, { body: { workflow: "sums" } });
      expect([wait, refused.status]).toEqual([wait, 422]);
    }
  });
});
