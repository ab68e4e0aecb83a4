import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { ADMIN, type Api, createApi } from "../../test/api/fixture.ts";
import { callSluice } from "../../test/cli/terminal.ts";
import { serve } from "../server/index.ts";

const GO = `name: go
steps:
  - { id: wait, wait: { signal: go_on } }
`;

let api: Api;
let served: Awaited<ReturnType<typeof serve>>;
beforeAll(async () => {
  api = await createApi();
  served = await serve({ app: api.app, port: 0, host: "127.0.0.1" });
  await api.save(GO);
});
afterAll(async () => {
  await served.close(0);
  await api.close();
});

const sluice = (...argv: readonly string[]) =>
  callSluice([...argv], { env: { SLUICE_URL: served.url, SLUICE_KEY: ADMIN } });

describe("sluice events", () => {
  it("sends an event, once by its id, and lists it", async () => {
    const words = ["events", "send", "order.paid", "--match", "order_id=17", "--data", '{"amount": 12}', "--id", "e1"];
    expect(await sluice(...words, "--keep", "2h")).toMatchObject({ code: 0, out: "e1\n", err: "" });
    const again = await sluice(...words);
    expect(again).toMatchObject({ code: 0, out: "e1\n" });
    expect(again.err).toContain("received before");
    const { out } = await sluice("events", "list", "--type", "order.paid");
    expect(out).toMatch(/^EVENT +TYPE +KEY +RECEIVED +KEPT\ne1 +order.paid +\{"order_id":"17"\} +\d.* ago +in 1 h/);
    expect((await sluice("events", "list", "--type", "none")).err).toBe("no event is kept\n");
  });

  it("prints what the API answers", async () => {
    const sent = await sluice("events", "send", "tick", "--match-json", '{"n": 1}', "--json");
    expect(JSON.parse(sent.out)).toMatchObject({ type: "tick", key: { n: 1 }, data: {}, isNew: true });
    const listed = await sluice("events", "list", "--json", "--limit", "1");
    expect(JSON.parse(listed.out).data).toHaveLength(1);
  });

  it.each([
    [["send", "a", "--data", "{"], "--data is not JSON"],
    [["send", "a", "--match-json", "[]"], "must be a JSON object"],
    [["send", "a", "--match", "x"], "name=text"],
    [["send", "a", "--data", "1", "--data-file", "x"], "not both"],
    [["send", "a b"], "invalid_request"],
    [["send", "a", "--keep", "9d"], "invalid_request"],
  ])("refuses %j", async (words, part) => {
    const { code, err } = await sluice("events", ...words);
    expect(code).toBe(2);
    expect(err).toContain(part);
  });
});

describe("sluice runs signal", () => {
  it("continues a run", async () => {
    const { body } = await api.request("POST", "runs", { body: { workflow: "go" } });
    expect(await sluice("runs", "signal", body.id, "go_on", "--data", '{"ok": true}')).toMatchObject({ code: 0 });
    expect((await sluice("runs", "watch", body.id, "--quiet")).code).toBe(0);
    const { code, err } = await sluice("runs", "signal", body.id, "go_on");
    expect([code, err]).toEqual([2, expect.stringContaining("run_finished")]);
  });
});
