import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Api, createApi, FAILING, GATED, HELLO } from "../../test/api/fixture.ts";

let api: Api;
beforeAll(async () => {
  api = await createApi();
});
afterAll(() => api.close());

describe("smoke", () => {
  it("runs", async () => {
    await api.save(HELLO);
    await api.save(GATED);
    await api.save(FAILING);
    const id = await api.run("hello", { who: "Ada" });
    const run = await api.tell("GET", `runs/${id}`);
    console.log(run.body);
    console.log(JSON.stringify((await api.tell("GET", `runs/${id}/state`)).body));
    console.log((await api.tell("GET", `runs/${id}/events/stream`)).body);
    const g = await api.run("gated");
    console.log((await api.tell("GET", `approvals`)).body, g);
    console.log(JSON.stringify((await api.tell("GET", `runs/${id}/nodes/greet`)).body, null, 1));
    console.log((await api.tell("GET", `runs/${id}/checkpoints?limit=1`)).body);
    const f = await api.run("failing");
    console.log((await api.tell("GET", `runs/${f}`)).body);
    console.log((await api.tell("POST", "runs", { body: '{"workflow": "hello", "argz": {}, "version": "x"}' })).body);
    console.log((await api.tell("POST", "runs", { body: '{"workflow": "hello",\n "args": {}' })).body);
    expect(api.troubles).toEqual([]);
  });
});
