import { createHash, randomBytes } from "node:crypto";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { ADMIN, type Api, createApi, STRANGER } from "../../../test/api/fixture.ts";
import { LIMITS } from "../../core/base/index.ts";

const sha = (bytes: Uint8Array): string => createHash("sha256").update(bytes).digest("hex");

let api: Api;
beforeAll(async () => {
  api = await createApi();
});
afterAll(() => api.close());

interface Sent {
  readonly status: number;
  readonly headers: Headers;
  readonly bytes: Uint8Array;
  // oxlint-disable-next-line typescript/no-explicit-any
  readonly body: any;
}

/** Bytes there and back. */
async function send(
  method: string,
  path: string,
  content: Uint8Array | null = null,
  headers: Readonly<Record<string, string>> = {},
  key: string = ADMIN,
): Promise<Sent> {
  const response = await api.app.request(`/api/v1/${path}`, {
    method,
    headers: { authorization: `Bearer ${key}`, ...headers },
    ...(content === null ? {} : { body: content }),
  });
  const bytes = new Uint8Array(await response.arrayBuffer());
  const isJson = (response.headers.get("content-type") ?? "").includes("json");
  return {
    status: response.status,
    headers: response.headers,
    bytes,
    body: isJson ? JSON.parse(Buffer.from(bytes).toString("utf8")) : null,
  };
}

const begin = (file: object, key?: string): Promise<Sent> =>
  send("POST", "files/uploads", Buffer.from(JSON.stringify(file)), { "content-type": "application/json" }, key);
const put = (bytes: Uint8Array, name = "a.txt", mime = "text/plain"): Promise<Sent> =>
  send("POST", `files?name=${encodeURIComponent(name)}`, bytes, {
    "content-type": mime,
    "content-length": String(bytes.byteLength),
  });

const PART = LIMITS.filePartBytes;
const two = randomBytes(PART + 1_000);
const first = two.subarray(0, PART);
const second = two.subarray(PART);

describe("uploads in parts", () => {
  it("take parts in any order and again, and give a file once", async () => {
    const file = { name: "report.pdf", mime: "application/pdf", size: two.byteLength, sha256: sha(two) };
    const begun = await begin(file);
    expect([begun.status, begun.body]).toMatchObject([201, { partSize: PART, partCount: 2, received: [], file: null }]);
    const path = `files/uploads/${begun.body.id}`;
    expect((await send("POST", `${path}/complete`)).body).toMatchObject({
      code: "upload_incomplete",
      detail: "Of 2 parts these are missing: 1, 2.",
    });
    const last = await send("PUT", `${path}/parts/2`, second);
    expect([last.status, last.body]).toEqual([200, { part: 2, size: 1_000, sha256: sha(second) }]);
    expect((await send("PUT", `${path}/parts/1`, Buffer.alloc(PART))).status).toBe(200);
    expect((await send("PUT", `${path}/parts/1`, first)).status).toBe(200);
    expect((await send("PUT", `${path}/parts/1`, first)).status).toBe(200);
    // The same caller finds it again by what it is.
    expect([(await begin(file)).status, (await begin(file)).body]).toMatchObject([
      200,
      { id: begun.body.id, received: [1, 2] },
    ]);
    const done = await send("POST", `${path}/complete`);
    expect([done.status, done.body]).toEqual([200, file]);
    expect((await send("POST", `${path}/complete`)).body).toEqual(file);
    expect((await send("GET", path)).body).toMatchObject({ received: [1, 2], file });
    expect((await send("PUT", `${path}/parts/1`, first)).body.code).toBe("upload_completed");
    expect((await send("DELETE", path)).body.code).toBe("upload_completed");
    // Content that is there need not be sent again, under whatever name.
    const again = await begin({ ...file, name: "other.pdf" });
    expect([again.status, again.body]).toMatchObject([200, { id: null, file: { ...file, name: "other.pdf" } }]);
    expect(Buffer.from((await send("GET", `files/${file.sha256}`)).bytes).equals(two)).toBe(true);
  });

  it("refuse a lie about the size or the hash, and keep nothing of it", async () => {
    const lie = await begin({ name: "a", size: 5, sha256: "0".repeat(64) });
    const path = `files/uploads/${lie.body.id}`;
    for (const content of ["1234", "123456", ""]) {
      const { status, body } = await send("PUT", `${path}/parts/1`, Buffer.from(content));
      expect([content, status, body.code]).toEqual([content, 422, "part_size_mismatch"]);
    }
    expect((await send("PUT", `${path}/parts/1`, Buffer.from("12345"))).status).toBe(200);
    const { status, body } = await send("POST", `${path}/complete`);
    expect([status, body.code]).toEqual([422, "hash_mismatch"]);
    expect((await send("GET", `files/${sha(Buffer.from("12345"))}`)).body.code).toBe("unknown_file");
    expect((await send("GET", `files/${"0".repeat(64)}`)).body.code).toBe("unknown_file");
    expect((await send("DELETE", path)).status).toBe(204);
    expect((await send("GET", path)).body.code).toBe("unknown_upload");
    const known = sha(two);
    expect((await begin({ name: "a", size: 5, sha256: known })).body.code).toBe("size_mismatch");
  });

  it("refuse parts there are none of", async () => {
    const { body } = await begin({ name: "a", size: PART + 1 });
    for (const part of ["0", "3", "-1", "1.5", "01", "x", "9999999"]) {
      const { status, body: answer } = await send("PUT", `files/uploads/${body.id}/parts/${part}`, Buffer.from("x"));
      expect([part, status, answer.code]).toEqual([part, 422, "unknown_part"]);
    }
    const packed = { "content-encoding": "gzip" };
    expect((await send("PUT", `files/uploads/${body.id}/parts/2`, Buffer.from("x"), packed)).body.code).toBe(
      "unsupported_media_type",
    );
  });

  it.each([
    [{ name: "../../etc/passwd", size: 1 }, "bad_file_name"],
    [{ name: "a/b", size: 1 }, "bad_file_name"],
    [{ name: "a\\b", size: 1 }, "bad_file_name"],
    [{ name: "..", size: 1 }, "bad_file_name"],
    [{ name: "", size: 1 }, "bad_file_name"],
    [{ name: "a\nb", size: 1 }, "bad_file_name"],
    [{ name: "a\u007fb", size: 1 }, "bad_file_name"],
    [{ name: "exe.\u202efdp", size: 1 }, "bad_file_name"],
    [{ name: " a", size: 1 }, "bad_file_name"],
    [{ name: "ä".repeat(128), size: 1 }, "bad_file_name"],
    [{ name: "a", size: 0 }, "empty_file"],
    [{ name: "a", size: LIMITS.fileBytesMax + 1 }, "file_too_large"],
    [{ name: "a", size: 1, mime: "pdf" }, "bad_mime"],
    [{ name: "a", size: 1, mime: "text/html\r\nx: y" }, "bad_mime"],
    [{ name: "a", size: 1, sha256: "ABC" }, "bad_hash"],
    [{ name: "a", size: -1 }, "invalid_request"],
    [{ name: "a", size: 1.5 }, "invalid_request"],
    [{ name: "a" }, "invalid_request"],
  ])("refuse %j as %s", async (file, code) => {
    const { status, body } = await begin(file);
    expect(body.code).toBe(code);
    expect(status).toBe(code === "file_too_large" ? 413 : 422);
  });

  it("take names and sizes at their limits", async () => {
    for (const file of [
      { name: "ä".repeat(127), size: 1 },
      { name: ".hidden file (1) – ü.tar.gz", size: 1, mime: 'text/plain; charset="utf-8"' },
      { name: "a", size: LIMITS.fileBytesMax },
    ]) {
      expect((await begin(file)).status).toBe(201);
    }
  });
});

describe("files", () => {
  it("are sent in one request, and found by their hash", async () => {
    const bytes = Buffer.from("hello, files");
    const sent = await put(bytes, 'naïve "file".txt', "text/plain; charset=utf-8");
    expect([sent.status, sent.body]).toEqual([
      201,
      { name: 'naïve "file".txt', mime: "text/plain; charset=utf-8", size: bytes.byteLength, sha256: sha(bytes) },
    ]);
    const got = await send("GET", `files/${sha(bytes)}`);
    expect(Buffer.from(got.bytes).toString()).toBe("hello, files");
    expect(Object.fromEntries(got.headers)).toMatchObject({
      "content-type": "text/plain; charset=utf-8",
      "content-disposition": `attachment; filename="na_ve _file_.txt"; filename*=UTF-8''na%C3%AFve%20%22file%22.txt`,
      "x-content-type-options": "nosniff",
      "accept-ranges": "bytes",
      etag: `"${sha(bytes)}"`,
      "content-length": "12",
    });
    expect((await send("GET", `files/${sha(bytes)}`, null, {}, STRANGER)).body.code).toBe("unknown_file");
    const listed = await send("GET", "files?limit=1");
    expect(listed.body.data).toMatchObject([{ sha256: sha(bytes), size: 12 }]);
    expect((await send("GET", "files", null, {}, STRANGER)).body.data).toEqual([]);
  });

  it("have no content for HEAD, and none that the client has", async () => {
    const bytes = Buffer.from("hello, files");
    const head = await send("HEAD", `files/${sha(bytes)}`);
    expect([head.status, head.bytes.byteLength, head.headers.get("content-length")]).toEqual([200, 0, "12"]);
    const etag = `"${sha(bytes)}"`;
    for (const tags of [etag, `W/${etag}`, `"x", ${etag}`, "*"]) {
      expect((await send("GET", `files/${sha(bytes)}`, null, { "if-none-match": tags })).status).toBe(304);
    }
    expect((await send("GET", `files/${sha(bytes)}`, null, { "if-none-match": '"x"' })).status).toBe(200);
  });

  it.each([
    ["bytes=0-4", 206, "hello", "bytes 0-4/12"],
    ["bytes=7-", 206, "files", "bytes 7-11/12"],
    ["bytes=-5", 206, "files", "bytes 7-11/12"],
    ["bytes=0-99", 206, "hello, files", "bytes 0-11/12"],
    ["bytes=-99", 206, "hello, files", "bytes 0-11/12"],
    ["bytes=11-11", 206, "s", "bytes 11-11/12"],
    ["bytes=5-2", 200, "hello, files", null],
    ["bytes=0-1,3-4", 200, "hello, files", null],
    ["lines=1-2", 200, "hello, files", null],
    ["bytes=-", 200, "hello, files", null],
  ])("answer the range %s", async (range, status, text, contentRange) => {
    const path = `files/${sha(Buffer.from("hello, files"))}`;
    const got = await send("GET", path, null, { range });
    expect([got.status, Buffer.from(got.bytes).toString(), got.headers.get("content-range")]).toEqual([
      status,
      text,
      contentRange,
    ]);
    const stale = await send("GET", path, null, { range, "if-range": '"other"' });
    expect([stale.status, stale.bytes.byteLength]).toEqual([200, 12]);
  });

  it.each(["bytes=12-", "bytes=99-100", "bytes=-0"])("refuse the range %s", async (range) => {
    const got = await send("GET", `files/${sha(Buffer.from("hello, files"))}`, null, { range });
    expect([got.status, got.body.code, got.headers.get("content-range")]).toEqual([
      416,
      "range_not_satisfiable",
      "bytes */12",
    ]);
  });

  it("are refused precisely in one request as well", async () => {
    expect((await put(Buffer.from("x"), "../x")).body.code).toBe("bad_file_name");
    expect((await put(Buffer.from(""))).body.code).toBe("empty_file");
    expect((await put(Buffer.alloc(PART + 1))).body.code).toBe("file_too_large");
    expect((await put(Buffer.from("x"), "x", "nonsense")).body.code).toBe("bad_mime");
    expect((await send("POST", "files?name=x", Buffer.from("x"))).body.code).toBe("length_required");
    const short = { "content-type": "text/plain", "content-length": "3" };
    expect((await send("POST", "files?name=x", Buffer.from("xx"), short)).body.code).toBe("part_size_mismatch");
    expect((await send("POST", "files?name=x", Buffer.from("xxxx"), short)).body.code).toBe("part_size_mismatch");
    expect((await send("GET", `files/${sha(Buffer.from("xx"))}`)).body.code).toBe("unknown_file");
    expect((await send("GET", `files/${sha(Buffer.from("hello, files"))}?name=..`)).body.code).toBe("bad_file_name");
  });
});

const READER = `name: reader
args:
  report: { type: file, required: true }
  other: { type: file }
steps:
  - { id: read, command: "Read \${report.name} of \${report.size} bytes" }
`;

describe("runs with files", () => {
  it("hold a reference to the files they are given", async () => {
    await api.save(READER);
    const { body: report } = await put(Buffer.from("for the run"), "run.txt");
    const runId = await api.run("reader", { report });
    expect(await api.store.listRunFiles("default", runId)).toEqual([report]);
    const events = await api.request("GET", `runs/${runId}/events`);
    expect(JSON.stringify(events.body)).toContain("Read run.txt of 11 bytes");
  });

  it.each([
    [{ name: "a", mime: "a/b", size: 3, sha256: "f".repeat(64) }, "unknown_file"],
    [{ name: "a", mime: "a/b", size: 3, sha256: sha(Buffer.from("for the run")) }, "size_mismatch"],
    [{ name: "../a", mime: "a/b", size: 3, sha256: "f".repeat(64) }, "invalid_args"],
    [{ name: "a", mime: "a/b", size: 3 }, "invalid_args"],
    [{ name: "a", mime: "a/b", size: 3, sha256: "f".repeat(64), path: "/etc" }, "invalid_args"],
    ["report.pdf", "invalid_args"],
  ])("refuse %j as %s", async (report, code) => {
    const { status, body } = await api.request("POST", "runs", { body: { workflow: "reader", args: { report } } });
    expect([status, body.code]).toEqual([422, code]);
    expect(body.problems[0].path).toBe("args.report");
  });

  it("refuse a file of another organisation", async () => {
    const theirs = await send(
      "POST",
      "files?name=a.txt",
      Buffer.from("theirs"),
      { "content-length": "6", "content-type": "text/plain" },
      STRANGER,
    );
    expect(theirs.status).toBe(201);
    const { body } = await api.request("POST", "runs", { body: { workflow: "reader", args: { report: theirs.body } } });
    expect(body.code).toBe("unknown_file");
  });

  it("meet no trouble", () => {
    expect(api.troubles).toEqual([]);
  });
});
