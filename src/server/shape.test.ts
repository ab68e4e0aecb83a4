import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { z } from "zod";
import { type Api, createApi } from "../../test/api/fixture.ts";
import { ROUTES } from "./route-table.ts";

let api: Api;
beforeAll(async () => {
  api = await createApi();
});
afterAll(() => api.close());

const pathOf = (path: string): string => path.replaceAll(/\{\w+\}/g, "1");

describe("a parameter a route does not know", () => {
  // A key does not even get as far on a route that is for persons.
  it.each(
    ROUTES.filter(({ needsSignedInPerson }) => !needsSignedInPerson).map(
      (route) => [`${route.method} ${route.path}`, route] as const,
    ),
  )("is refused by %s", async (_, route) => {
    const { status, body } = await api.request(route.method, `${pathOf(route.path)}?serach=a`);
    expect([status, body.code, body.problems[0].path]).toEqual([400, "unknown_parameter", "serach"]);
    expect(body.detail).toContain('There is no parameter "serach" here.');
  });

  it("is answered with the nearest one, and with all there are", async () => {
    const { body } = await api.request("GET", "runs?limti=1");
    expect(body.problems[0].hint).toBe(
      'Did you mean "limit"? The parameters are limit, cursor, status, workflow, version, parent, waiting_for, trigger, ' +
        "agent, model, label, error, min_cost, max_cost, min_duration, max_duration, since, until, q.",
    );
    expect((await api.request("GET", "platform?a=1")).body.problems[0].hint).toBe("This address takes no parameters.");
    expect(
      (await api.request("GET", "runs?a=1&b=2&limit=1")).body.problems.map(({ path }: { path: string }) => path),
    ).toEqual(["a", "b"]);
  });

  it("is not shown to a caller without a key", async () => {
    expect((await api.request("GET", "runs?search=a", { key: null })).status).toBe(401);
  });

  it("is taken by hooks, whose filters and args may read it", async () => {
    expect((await api.request("POST", "hooks/w?organisation=a", { key: null })).body.code).toBe("unknown_hook");
    expect((await api.request("POST", "hooks/w?org=a", { key: null })).body.code).toBe("unknown_hook");
  });

  it("may be one of an object's own names", async () => {
    expect((await api.request("GET", "runs?__proto__=1")).body.code).toBe("unknown_parameter");
    expect((await api.request("GET", "runs?constructor=1")).body.code).toBe("unknown_parameter");
  });
});

it("a parameter that is given twice is refused", async () => {
  const { status, body } = await api.request("GET", "runs?limit=1&limit=2");
  expect([status, body.code, body.problems[0].path]).toEqual([400, "repeated_parameter", "limit"]);
});

describe("a number that is empty", () => {
  const numbersOf = (query: z.ZodType): readonly string[] =>
    Object.entries(z.toJSONSchema(query, { io: "input", unrepresentable: "any" }).properties ?? {}).flatMap(
      ([name, schema]) =>
        typeof schema === "object" && (schema.type === "number" || schema.type === "integer") ? [name] : [],
    );
  const numbers = ROUTES.flatMap((route) =>
    route.needsSignedInPerson || route.query === null
      ? []
      : numbersOf(route.query).map((name) => [name, `${route.method} ${route.path}`, route] as const),
  );

  it.each(numbers)("is refused as %s of %s", async (name, _, route) => {
    for (const empty of ["", "%20"]) {
      const { status, body } = await api.request(route.method, `${pathOf(route.path)}?${name}=${empty}`);
      expect([status, body.problems]).toMatchObject([422, [{ code: "wrong_type", path: name }]]);
    }
  });

  it("is looked for everywhere", () => {
    expect(new Set(numbers.map(([name]) => name))).toEqual(
      new Set(["limit", "wait", "version", "min_cost", "max_cost"]),
    );
  });
});

describe("gateways", () => {
  it("are listed page by page when that is asked for, whole otherwise", async () => {
    for (const id of ["b", "a", "c"]) await api.request("PUT", `gateways/${id}`, { body: {} });
    const whole = (await api.request("GET", "gateways")).body;
    const ids = whole.data.map(({ id }: { id: string }) => id);
    expect([ids, whole.nextCursor]).toEqual([["a", "b", "c", "local"], undefined]);
    const seen: string[] = [];
    let cursor = "";
    do {
      const { body } = await api.request("GET", `gateways?limit=3${cursor}`);
      seen.push(...body.data.map(({ id }: { id: string }) => id));
      cursor = body.nextCursor === undefined ? "" : `&cursor=${body.nextCursor}`;
    } while (cursor !== "");
    expect(seen).toEqual(ids);
    expect((await api.request("GET", "gateways?cursor=nonsense")).body.code).toBe("bad_cursor");
  });
});

it("a body that may be of several forms is judged by the one whose kind was sent", async () => {
  const send = async (body: unknown): Promise<string[]> =>
    (await api.request("POST", "events", { body })).body.problems.map(
      ({ code, message, path }: Record<string, string>) => `${code} ${path} ${message}`,
    );
  expect(await send({ type: "a", key: 5 })).toEqual([expect.stringMatching(/^wrong_type key "key": /)]);
  expect(await send([{ type: "a" }, { type: "b", data: 1, payload: 1 }])).toEqual([
    'unknown_key [1].payload There is no field "payload" here.',
  ]);
  expect(await send(Array.from({ length: 501 }, () => ({ type: "a" })))).toEqual([
    expect.stringContaining("<=500 items"),
  ]);
  expect(await send({ type: "a", keep: "8d" })).toEqual([expect.stringContaining("at most 7 days")]);
});
