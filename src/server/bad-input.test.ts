import { afterAll, beforeAll, describe, expect, it } from "vitest";
import * as fc from "fast-check";
import { type Answer, type Api, createApi, GATED, HELLO } from "../../test/api/fixture.ts";
import { BODY_BYTES_MAX } from "./body.ts";
import { ROUTES } from "./route-table.ts";

let api: Api;
let runId: string;
beforeAll(async () => {
  api = await createApi();
  await api.save(HELLO);
  await api.save(GATED);
  runId = await api.run("gated");
});
afterAll(() => api.close());

const replied = ({ status, body }: Answer): [number, string] => [status, body.code];
const startWith = (body: string): Promise<Answer> => api.request("POST", "runs", { body });

describe("bodies", () => {
  it.each([
    ["nothing", "", 400, "bad_json"],
    ["half an object", '{"workflow": "hello"', 400, "bad_json"],
    ["YAML", "workflow: hello", 400, "bad_json"],
    ["YAML in flow style", "{workflow: hello}", 400, "bad_json"],
    ["a comment", '{"workflow": "hello"} // now', 400, "bad_json"],
    ["two objects", '{"workflow": "hello"}{}', 400, "bad_json"],
    ["10,000 lists", "[".repeat(10_000) + "]".repeat(10_000), 400, "bad_json"],
    ["a million lists", "[".repeat(500_000) + "]".repeat(500_000), 400, "bad_json"],
    ["a key twice", '{"workflow": "hello", "workflow": "other"}', 400, "bad_json"],
    ["__proto__", '{"workflow": "hello", "__proto__": {"version": 1}}', 400, "bad_json"],
    ["__proto__ in args", '{"workflow": "hello", "args": {"__proto__": {"who": "x"}}}', 400, "bad_json"],
    ["an inexact integer", '{"workflow": "hello", "version": 9007199254740993}', 400, "bad_json"],
    ["a number beyond any", '{"workflow": "hello", "version": 1e999}', 400, "bad_json"],
    ["NUL", String.raw`{"workflow": "hello", "args": {"who": "\u0000"}}`, 422, "text_unstorable"],
    ["half a pair", String.raw`{"workflow": "hello", "args": {"who": "\ud800"}}`, 422, "text_unstorable"],
    ["a list", "[]", 422, "invalid_request"],
    ["null", "null", 422, "invalid_request"],
    ["nothing it knows", "{}", 422, "invalid_request"],
    ["a wrong type", '{"workflow": 7}', 422, "invalid_request"],
    ["an unknown field", '{"workflow": "hello", "filepath": "/etc/passwd"}', 422, "invalid_request"],
    ["a team that is not registered", '{"workflow": "hello", "team": "alpha"}', 404, "unknown_team"],
    ["a version of 0", '{"workflow": "hello", "version": 0}', 422, "invalid_request"],
    ["half a version", '{"workflow": "hello", "version": 1.5}', 422, "invalid_request"],
    ["no args where some are needed", '{"workflow": "hello"}', 422, "invalid_args"],
    ["an extra arg", '{"workflow": "hello", "args": {"who": "x", "whom": "y"}}', 422, "invalid_args"],
    ["an arg of another type", '{"workflow": "hello", "args": {"who": ["x"]}}', 422, "invalid_args"],
    ["an unknown workflow", '{"workflow": "missing"}', 404, "unknown_workflow"],
    ["a path for a workflow", '{"workflow": "../../etc/passwd"}', 404, "unknown_workflow"],
    ["an unknown version", '{"workflow": "hello", "version": 99}', 404, "unknown_version"],
  ])("refuses %s", async (_, body, status, code) => {
    const answer = await startWith(body);
    expect(replied(answer)).toEqual([status, code]);
    expect(answer.headers.get("content-type")).toBe("application/problem+json; charset=utf-8");
    expect(answer.body).toMatchObject({ status, code, type: expect.any(String), title: expect.any(String) });
    expect(answer.body.requestId).toBe(answer.headers.get("x-request-id"));
  });

  it("says where it is wrong, and everything at once", async () => {
    const { body } = await startWith('{\n  "workflow": "hello",\n  "argz": {},\n  "version": "1"\n}');
    expect(body.problems).toEqual(
      expect.arrayContaining([
        expect.objectContaining({
          code: "unknown_key",
          path: "argz",
          line: 3,
          column: 3,
          hint: 'Did you mean "args"?',
        }),
        expect.objectContaining({ code: "wrong_type", path: "version", line: 4 }),
      ]),
    );
    const duplicate = await startWith('{"workflow": "hello",\n "workflow": "x"}');
    expect(duplicate.body.problems).toMatchObject([{ code: "yaml_duplicate_key", line: 2, column: 2 }]);
  });

  it.each([
    "text/plain",
    "application/x-www-form-urlencoded",
    "application/yaml",
    "application/ld+json",
    "application/jsonx",
    "application/json; charset=latin1",
    "multipart/form-data; boundary=x",
    "",
  ])("does not take %j for JSON", async (type) => {
    const answer = await api.request("POST", "runs", {
      body: '{"workflow":"hello"}',
      headers: { "content-type": type },
    });
    expect(replied(answer)).toEqual([415, "unsupported_media_type"]);
  });

  it.each([
    "application/json",
    "Application/JSON",
    "application/json;charset=utf-8",
    'application/json ; charset="UTF-8"',
    "\tapplication/json",
  ])("takes %j for JSON, checked like any other", async (type) => {
    const answer = await api.request("POST", "runs", { body: '{"workflow":7}', headers: { "content-type": type } });
    expect(replied(answer)).toEqual([422, "invalid_request"]);
  });

  it("reads no packed body", async () => {
    const answer = await api.request("POST", "runs", { body: "{}", headers: { "content-encoding": "gzip" } });
    expect(replied(answer)).toEqual([415, "unsupported_media_type"]);
  });

  it("holds bodies to their limit, declared or not", async () => {
    const sized = (size: number): string => `{"source": "${"x".repeat(size - 14)}"}`;
    const limits = [
      ["validate", BODY_BYTES_MAX.definition],
      ["runs", BODY_BYTES_MAX.other],
    ] as const;
    for (const [path, max] of limits) {
      expect(sized(max)).toHaveLength(max);
      for (const size of [max - 1, max])
        expect((await api.request("POST", path, { body: sized(size) })).status).not.toBe(413);
      expect(replied(await api.request("POST", path, { body: sized(max + 1) }))).toEqual([413, "body_too_large"]);
      const declared = { "content-length": String(max + 1) };
      expect(replied(await api.request("POST", path, { body: "{}", headers: declared }))).toEqual([
        413,
        "body_too_large",
      ]);
    }
  });

  it("stops reading a body that never ends", async () => {
    let chunks = 0;
    const endless = new ReadableStream({
      pull(controller) {
        chunks += 1;
        controller.enqueue(new Uint8Array(65_536).fill(32));
      },
    });
    expect(replied(await api.request("POST", "runs", { body: endless }))).toEqual([413, "body_too_large"]);
    expect(chunks).toBeLessThan(32);
  });

  it("reads nothing for an unknown caller", async () => {
    let chunks = 0;
    const body = new ReadableStream(
      {
        pull(controller) {
          chunks += 1;
          controller.enqueue(new Uint8Array(65_536));
        },
      },
      { highWaterMark: 0 },
    );
    expect(replied(await api.request("PUT", "workflows/hello", { key: null, body }))).toEqual([401, "unauthenticated"]);
    expect(chunks).toBe(0);
  });

  it("takes actions without a body", async () => {
    const response = await api.request("POST", `runs/${await api.run("gated")}/cancel`);
    expect([response.status, response.body.status]).toEqual([200, "cancelled"]);
  });
});

describe("paths and queries", () => {
  it.each([
    ["GET", "/nowhere", 404, "not_found"],
    ["GET", "/api/v1", 404, "not_found"],
    ["GET", "/api/v1/runs/", 404, "not_found"],
    ["GET", "/api/v2/runs", 404, "not_found"],
    ["GET", "runs/run_unknown", 404, "unknown_run"],
    ["GET", "runs/%00", 404, "not_found"],
    ["GET", `runs/${"x".repeat(201)}`, 404, "not_found"],
    ["GET", "runs/%2e%2e%2f%2e%2e%2fetc%2fpasswd", 404, "unknown_run"],
    ["GET", "runs/%ff", 404, "unknown_run"],
    ["GET", "runs/__proto__", 404, "unknown_run"],
    ["GET", "workflows/constructor", 404, "unknown_workflow"],
    ["GET", "workflows/hello/versions/0", 404, "unknown_version"],
    ["GET", "workflows/hello/versions/1e0", 404, "unknown_version"],
    ["GET", "workflows/hello/versions/99999999999", 404, "unknown_version"],
    ["GET", "approvals/apr_unknown", 404, "unknown_approval"],
    ["GET", "blobs/none", 404, "unknown_blob"],
    ["DELETE", "keys/key_unknown", 404, "unknown_api_key"],
    ["GET", "runs?limit=0", 422, "invalid_request"],
    ["GET", "runs?limit=101", 422, "invalid_request"],
    ["GET", "runs?limit=ten", 422, "invalid_request"],
    ["GET", "runs?limit=1.5", 422, "invalid_request"],
    ["GET", "runs?status=sleeping", 422, "invalid_request"],
    ["GET", "runs?workflow=%00", 422, "invalid_request"],
    ["GET", "runs?cursor=none", 400, "bad_cursor"],
    ["GET", "runs?cursor=%00", 400, "bad_cursor"],
    ["GET", "workflows?cursor=W10", 400, "bad_cursor"],
    ["GET", "approvals?cursor=%7B%7D", 400, "bad_cursor"],
    ["GET", "keys?cursor=1;drop", 400, "bad_cursor"],
    ["GET", "approvals?status=open", 422, "invalid_request"],
  ])("%s %s", async (method, path, status, code) => {
    expect(replied(await api.request(method, path))).toEqual([status, code]);
  });

  it("takes the edges of a page", async () => {
    for (const limit of [1, 2, 99, 100]) expect((await api.request("GET", `runs?limit=${limit}`)).status).toBe(200);
  });

  it.each(["abc", "-1", "1e99", "18446744073709551616", "1;drop", "1.5", "", " 1", "01", "9007199254740992", "٣"])(
    "takes no event id from %j",
    async (id) => {
      const query = `afterEventId=${encodeURIComponent(id)}`;
      for (const path of ["events", "checkpoints", "events/stream"]) {
        expect(replied(await api.request("GET", `runs/${runId}/${path}?${query}`))).toEqual([400, "bad_cursor"]);
      }
    },
  );

  it("finds no state at an event that never was", async () => {
    for (const id of ["0", "9999"]) {
      for (const path of ["at", "checkpoints"]) {
        expect(replied(await api.request("GET", `runs/${runId}/${path}/${id}`))).toEqual([404, "unknown_event"]);
      }
    }
    expect(replied(await api.request("GET", `runs/${runId}/at/last`))).toEqual([400, "bad_cursor"]);
    expect(replied(await api.request("GET", `runs/${runId}/nodes/missing`))).toEqual([404, "unknown_node"]);
  });
});

describe("methods", () => {
  it("says which ones a path takes", async () => {
    const answer = await api.request("DELETE", "runs");
    expect(replied(answer)).toEqual([405, "method_not_allowed"]);
    expect(answer.headers.get("allow")).toBe("POST, GET, HEAD, OPTIONS");
    const options = await api.request("OPTIONS", `runs/${runId}/cancel`, { key: null });
    expect([options.status, options.headers.get("allow")]).toEqual([204, "POST, OPTIONS"]);
  });

  it("answers HEAD without a body, but opens no stream for it", async () => {
    const head = await api.request("HEAD", `runs/${runId}`);
    expect([head.status, head.body]).toEqual([200, ""]);
    for (const path of [`runs/${runId}/events/stream`, `/execute/workflows/${runId}/events`]) {
      for (const method of ["HEAD", "POST"]) {
        const answer = await api.ask(method, path, method === "POST" ? { body: {} } : {});
        expect([method, answer.status, answer.headers.get("allow")]).toEqual([method, 405, "GET, OPTIONS"]);
      }
    }
    expect(api.app.streams()).toEqual({ open: 0, watchedRuns: 0 });
  });
});

describe("whatever is sent", () => {
  const posts = ROUTES.filter(({ body, operation }) => body !== null && operation !== "keys.create");
  it("never fails inside", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom(...posts),
        fc.oneof(
          fc.json(),
          fc.string(),
          fc
            .record({ workflow: fc.constantFrom("hello", "gated"), args: fc.anything(), version: fc.anything() })
            .map((value) => JSON.stringify(value)),
          fc
            .record({ decision: fc.anything(), values: fc.anything(), eventId: fc.anything() }, { requiredKeys: [] })
            .map((value) => JSON.stringify(value)),
        ),
        fc.string({ minLength: 1, unit: "binary" }),
        async ({ method, path }, body, name) => {
          const at = path.replaceAll(/\{(\w+)\}/g, (_, key: string) =>
            key === "runId" ? runId : encodeURIComponent(name),
          );
          const { status } = await api.request(method, at, { body });
          expect(status).toBeLessThan(500);
        },
      ),
      { numRuns: 100 },
    );
    expect(api.troubles).toEqual([]);
  });
});
