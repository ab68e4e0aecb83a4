import { createServer, type AddressInfo, type Server, type Socket } from "node:net";
import { afterEach, describe, expect, it } from "vitest";
import { AuditExtent, JsonExtent } from "./extent.ts";
import { ApiError, SluiceClient } from "./index.ts";

const HEAD = "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\n";
const RUN = JSON.stringify({ id: "run_1", status: "running", args: {} });

const servers = new Set<Server>();
afterEach(() => {
  for (const server of servers) server.close();
  servers.clear();
});

/** What a connection gets: at once, or after the request. */
interface Line {
  /** Nothing ever arrives, so that only the longest silence ends it. */
  readonly isSilent?: true;
  readonly onOpen?: (socket: Socket) => void;
  readonly onRequest?: (socket: Socket) => void;
}

function listen({ onOpen, onRequest }: Line): Promise<string> {
  const server = createServer((socket) => {
    socket.on("error", () => undefined);
    onOpen?.(socket);
    if (onRequest !== undefined) socket.once("data", () => onRequest(socket));
  });
  servers.add(server);
  return new Promise((resolve) => {
    server.listen(0, "127.0.0.1", () => resolve(`http://127.0.0.1:${(server.address() as AddressInfo).port}`));
  });
}

const reset = (text: string) => (socket: Socket) => void socket.write(text, () => socket.resetAndDestroy());
const end = (text: string) => (socket: Socket) => void socket.end(text);
const answer = (body: string, type = "application/json", status = "200 OK") =>
  end(
    `HTTP/1.1 ${status}\r\ncontent-type: ${type}\r\nconnection: close\r\ncontent-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
  );

const BROKEN: Readonly<Record<string, readonly [Line, { code: string; status: number }]>> = {
  "closed before the request": [
    { onOpen: (socket) => void socket.end(), isSilent: true },
    { code: "unreachable", status: 0 },
  ],
  "reset before the request": [
    { onOpen: (socket) => void socket.resetAndDestroy() },
    { code: "unreachable", status: 0 },
  ],
  "closed instead of an answer": [{ onRequest: end("") }, { code: "unreachable", status: 0 }],
  "reset in the headers": [{ onRequest: reset(HEAD) }, { code: "unreachable", status: 0 }],
  "reset after the headers": [
    { onRequest: reset(`${HEAD}content-length: 99\r\n\r\n`) },
    { code: "unreachable", status: 0 },
  ],
  "reset in the body": [
    { onRequest: reset(`${HEAD}content-length: 99\r\n\r\n{"id":`) },
    { code: "unreachable", status: 0 },
  ],
  "closed in the body": [
    { onRequest: end(`${HEAD}content-length: 99\r\n\r\n{"id":`) },
    { code: "unreachable", status: 0 },
  ],
  "closed in a chunk": [
    { onRequest: end(`${HEAD}transfer-encoding: chunked\r\n\r\n9\r\n{"id":`) },
    { code: "unreachable", status: 0 },
  ],
  "half a body of no stated length": [
    { onRequest: end(`${HEAD}connection: close\r\n\r\n${RUN.slice(0, 20)}`) },
    { code: "broken_answer", status: 200 },
  ],
  "half a body of a stated length": [{ onRequest: answer(RUN.slice(0, 20)) }, { code: "broken_answer", status: 200 }],
  "an empty body": [{ onRequest: answer("") }, { code: "broken_answer", status: 200 }],
  "a value that is no object": [{ onRequest: answer("null") }, { code: "broken_answer", status: 200 }],
  "an object of another kind": [{ onRequest: answer('{"ok":true}') }, { code: "broken_answer", status: 200 }],
  "a page": [{ onRequest: answer("<p>Welcome", "text/html") }, { code: "broken_answer", status: 200 }],
  "an error page": [
    { onRequest: answer("<h1>Bad gateway", "text/html", "502 Bad Gateway") },
    { code: "broken_answer", status: 502 },
  ],
  "half a problem": [
    { onRequest: answer('{"code":', "application/problem+json", "500 Oops") },
    { code: "unknown_error", status: 500 },
  ],
  "no HTTP": [{ onRequest: end("hello\r\n\r\n") }, { code: "unreachable", status: 0 }],
  "no answer": [{ isSilent: true }, { code: "unreachable", status: 0 }],
};

describe("an answer that is not whole", () => {
  it.each(Object.entries(BROKEN))("is an error: %s", async (_, [line, expected]) => {
    const client = new SluiceClient({ url: await listen(line), ...(line.isSilent === true ? { timeoutMs: 100 } : {}) });
    const failure = await client.getRun("run_1").catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(ApiError);
    expect(failure).toMatchObject(expected);
    expect(failure).toMatchObject({ detail: expect.any(String), message: (failure as ApiError).detail });
  });

  it("is an error of a list, of a command without a result, of a long answer, of a session", async () => {
    const wrong = new SluiceClient({ url: await listen({ onRequest: answer('{"data":{}}') }) });
    await expect(wrong.listRuns()).rejects.toMatchObject({ code: "broken_answer" });
    await expect(wrong.deleteGateway("x")).rejects.toMatchObject({ code: "broken_answer" });
    await expect(wrong.webhooks.getHook("x")).rejects.toMatchObject({ code: "broken_answer" });
    const half = new SluiceClient({ url: await listen({ onRequest: answer('{"format":"sluice-packet/1","run":{}') }) });
    await expect(new Response(await half.getPacket("run_1")).text()).rejects.toMatchObject({ code: "broken_answer" });
    await expect(new Response(await half.exportAudit()).text()).rejects.toMatchObject({ code: "broken_answer" });
    const cut = new SluiceClient({ url: await listen({ onRequest: end(`${HEAD}content-length: 99\r\n\r\n{}`) }) });
    await expect(new Response(await cut.getPacket("run_1")).text()).rejects.toMatchObject({ code: "unreachable" });
  });

  it("is an error of an upload that the server neither began nor has stored", async () => {
    const upload = { id: null, partSize: 8, partCount: 1, received: [], expiresAt: null, file: null };
    const client = new SluiceClient({ url: await listen({ onRequest: answer(JSON.stringify(upload)) }) });
    const read = (): Promise<Uint8Array<ArrayBuffer>> => Promise.reject(new Error("No part may be read."));
    const failure = await client.files.upload({ name: "a", size: 1, read }).catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(ApiError);
    expect(failure).toMatchObject({ code: "broken_answer" });
  });

  it("carries the hint of the first problem, or of the gate that refused", () => {
    const problems = [
      { code: "a", message: "A", path: "" },
      { code: "b", message: "B", path: "", hint: "do b" },
    ];
    expect(new ApiError({ problems }, { status: 422 }).hint).toBe("do b");
    expect(new ApiError({ hint: "own", problems }, { status: 422 }).hint).toBe("own");
    expect(new ApiError({}, { status: 404 })).toMatchObject({ hint: null, detail: "The server answered 404." });
  });
});

describe("a stream of events", () => {
  const STREAM = "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n";
  const chunk = (text: string): string => `${text.length.toString(16)}\r\n${text}\r\n`;

  it.each([
    ["ends at once", end(`${STREAM}0\r\n\r\n`), "unreachable"],
    ["is cut", reset(STREAM + chunk("id: 1\ndata: {")), "unreachable"],
    ["sends what is no event", end(`${STREAM}${chunk("id: 1\ndata: {\n\n")}0\r\n\r\n`), "broken_answer"],
    ["is no stream", answer("<p>Welcome", "text/html"), "broken_answer"],
    ["is refused by a proxy", answer("busy", "text/plain", "503 Busy"), "unknown_error"],
  ])("is an error once patience is over: it %s", async (_, onRequest, code) => {
    const client = new SluiceClient({ url: await listen({ onRequest }) });
    const watching = client.watchRun("run_1", { retryMs: 1, patienceMs: 20 });
    await expect(watching.next()).rejects.toMatchObject({ code });
  });
});

describe("where a long answer ends", () => {
  const take = (extent: JsonExtent | AuditExtent, text: string, size: number): boolean => {
    const bytes = new TextEncoder().encode(text);
    for (let at = 0; at < bytes.length; at += size) extent.take(bytes.subarray(at, at + size));
    return extent.isWhole();
  };
  const packet = JSON.stringify({ format: [{ text: 'brackets ]}" and \\' }, "ü{"], b: {} });
  const log = '{"kind":"header"}\n{"seq":1}\n{"kind":"head","seq":1}\n';

  it.each([1, 2, 7, 1_000])("is known whatever the size of the pieces: %i", (size) => {
    expect(take(new JsonExtent('{"format":'), `${packet}\n`, size)).toBe(true);
    expect(take(new JsonExtent('{"format":'), "{}", size)).toBe(false);
    expect(take(new JsonExtent('{"format":'), '{"formal":{}}', size)).toBe(false);
    expect(take(new AuditExtent(), log, size)).toBe(true);
    for (let length = 0; length < packet.length; length += 1) {
      expect(take(new JsonExtent('{"format":'), packet.slice(0, length), size), packet.slice(0, length)).toBe(false);
    }
    for (let length = 0; length < log.length; length += 1) {
      expect(take(new AuditExtent(), log.slice(0, length), size), log.slice(0, length)).toBe(false);
    }
  });
});
