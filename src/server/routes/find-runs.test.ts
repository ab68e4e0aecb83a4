import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Api, createApi } from "../../../test/api/fixture.ts";

const SOURCE = `name: refund
args: { customer: {type: string}, note: "" }
labels: { customer: "\${args.customer}", team: payments }
steps:
  - { id: decide, command: "decide \${customer} \${note}", agent: ada, model: m-1 }
`;
const FAILING = `name: failing
steps:
  - { id: a, fail: { code: out_of_stock, message: "Nothing left of the wool socks" } }
`;
const SCRIPT = `default: echo
nodes:
  decide: { stdout: "granted to the lighthouse keeper", cost_usd: 0.25 }
`;

let api: Api;
const runs: Record<string, string> = {};
const start = async (body: object): Promise<string> => {
  const { status, body: run } = await api.request("POST", "runs?wait=30", { body });
  expect(status).toBe(201);
  return run.id;
};
const found = async (query: string): Promise<string[]> => {
  const { status, body } = await api.request("GET", `runs?${query}`);
  expect([status, body.detail]).toEqual([200, undefined]);
  return body.data.map(({ id }: { id: string }) => Object.keys(runs).find((name) => runs[name] === id) ?? id);
};

beforeAll(async () => {
  api = await createApi({}, SCRIPT);
  await api.request("PUT", "agents/ada", { body: {} });
  await api.save(SOURCE);
  await api.save(FAILING);
  runs["first"] = await start({ workflow: "refund", args: { customer: "4711", note: "Größe XL" } });
  runs["second"] = await start({ workflow: "refund", args: { customer: "12" }, labels: { team: "vip", order: 99 } });
  runs["third"] = await start({ workflow: "failing" });
});
afterAll(() => api.close());

describe("a run", () => {
  it("has the labels of its workflow and of its start, which come first", async () => {
    expect((await api.request("GET", `runs/${runs["first"]}`)).body.labels).toEqual({
      customer: "4711",
      team: "payments",
    });
    const { body } = await api.request("GET", `runs/${runs["second"]}`);
    expect(body.labels).toEqual({ customer: "12", team: "vip", order: "99" });
    const [first] = (await api.request("GET", `runs/${runs["second"]}/events?limit=1`)).body.data;
    expect(first.payload.labels).toEqual(body.labels);
  });

  it("keeps them when it is restarted", async () => {
    const { body } = await api.request("POST", `runs/${runs["second"]}/restart`, { body: {} });
    runs["again"] = body.id;
    expect(body.labels).toEqual({ customer: "12", team: "vip", order: "99" });
    expect(await found("label=order:99")).toEqual(["again", "second"]);
  });

  it("that failed says why in a line", async () => {
    const { body } = await api.request("GET", `runs/${runs["third"]}`);
    expect(body.error).toEqual({ code: "out_of_stock", message: expect.stringContaining("wool socks") });
    expect((await api.request("GET", `runs/${runs["first"]}`)).body.error).toBeUndefined();
  });

  it.each([
    [{ labels: { "a:b": "x" } }, "labels.a:b"],
    [{ labels: { a: "" } }, "labels.a"],
    [{ labels: { a: "x".repeat(201) } }, "labels.a"],
    [{ labels: { a: {} } }, "labels.a"],
    [{ labels: Object.fromEntries(Array.from({ length: 21 }, (_, index) => [`a${index}`, "x"])) }, "labels"],
  ])("is not started with %j", async (more, path) => {
    const body = { workflow: "refund", args: { customer: "1" }, ...more };
    const { status, body: problem } = await api.request("POST", "runs", { body });
    expect([status, problem.code, problem.problems[0].path]).toEqual([422, "invalid_request", path]);
  });
});

describe("runs are listed", () => {
  it.each([
    ["label=customer:4711", ["first"]],
    ["label=team:vip&label=customer:12&trigger=api", ["second"]],
    ["label=team:vip&label=customer:4711", []],
    ["workflow=failing&version=1", ["third"]],
    ["version=2", []],
    ["trigger=restart", ["again"]],
    ["trigger=schedule:nightly", []],
    ["error=out_of_stock", ["third"]],
    ["agent=ada&trigger=api", ["second", "first"]],
    ["agent=bob", []],
    ["model=m-1&trigger=api", ["second", "first"]],
    ["min_cost=0.25&trigger=api", ["second", "first"]],
    ["max_cost=0.2&trigger=api", ["third"]],
    ["max_duration=2h&status=failed", ["third"]],
    ["min_duration=3600", []],
    ["since=1h&until=2999-01-01&status=failed", ["third"]],
    ["until=1h", []],
    ["q=lighthouse+keeper&trigger=api", ["second", "first"]],
    ["q=gr%C3%B6%C3%9Fe", ["first"]],
    ["q=socks", ["third"]],
    ["q=sock*&status=failed", ["third"]],
    ["q=sock", []],
    ["q=payments&label=customer:4711", ["first"]],
  ])("by %s", async (query, names) => {
    expect(await found(query)).toEqual(names);
  });

  it("by the id of a run as a question", async () => {
    expect(await found(`q=${runs["third"]}`)).toEqual(["third"]);
  });

  it.each([
    ["label=customer", "label[0]"],
    ["label=:4711", "label[0]"],
    ["version=0", "version"],
    ["min_cost=-1", "min_cost"],
    ["min_cost=dear", "min_cost"],
    ["min_cost=2&max_cost=1", "min_cost"],
    ["min_duration=soon", "min_duration"],
    ["min_duration=%20", "min_duration"],
    ["since=yesterday", "since"],
    ["since=2021-01-01&until=2020-01-01", "since"],
    ["q=", "q"],
    ["q=%21%21", "q"],
    [`q=${"x".repeat(501)}`, "q"],
  ])("by nothing that cannot be: %s", async (query, path) => {
    const { status, body } = await api.request("GET", `runs?${query}`);
    expect([status, body.code, body.problems[0].path]).toEqual([422, "invalid_request", path]);
  });
});
