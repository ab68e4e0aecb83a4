import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { describe, expect, it } from "vitest";
import type { AdapterFiles } from "../../src/adapter/index.ts";
import { remoteFiles } from "../../src/bridge/remote-files.ts";
import type { FileValue } from "../../src/core/base/index.ts";
import { runFiles } from "../../src/files/index.ts";
import { PeerAgent } from "../../src/outbound/index.ts";
import { type FileStore, type Store, StoreUnavailable } from "../../src/store/index.ts";
import { stubAdapter } from "../gateway/stub-adapter.ts";
import { Machine } from "../integration/support/machine.ts";
import { once, openKept, ORG, PATIENCE, RUN, sha256 } from "./kept.ts";

/** How a database fails a statement: before it is made, or so that only its answer is lost. */
type Loss = "request" | "answer";

/** Fails each of these operations so many times before it succeeds. */
function failing(store: Store, loss: Loss, times: number): FileStore {
  const left = new Map<string | symbol, number>();
  return new Proxy(store, {
    get: (target, name, receiver) => {
      const operation: unknown = Reflect.get(target, name, receiver);
      if (typeof operation !== "function") return operation;
      return async (...args: readonly unknown[]) => {
        const count = left.get(name) ?? times;
        left.set(name, count - 1);
        if (count > 0 && loss === "request") throw new StoreUnavailable("away");
        const result: unknown = await Reflect.apply(operation, target, args);
        if (count > 0) throw new StoreUnavailable("away");
        return result;
      };
    },
  });
}

async function textOf(content: AsyncIterable<Uint8Array>): Promise<string> {
  const pieces: Uint8Array[] = [];
  for await (const piece of content) pieces.push(piece);
  return Buffer.concat(pieces).toString("utf8");
}

describe("files of an attempt while the database is away", () => {
  it.each<Loss>(["request", "answer"])("are read and written once it is back (lost: %s)", async (loss) => {
    const kept = await openKept();
    const given = await kept.give("a.txt", "low tide");
    const store = failing(kept.store, loss, 2);
    const files = runFiles({ files: kept.files, store, orgId: ORG, runId: RUN, patience: PATIENCE });
    expect(await textOf(files.read(given))).toBe("low tide");
    const content = Buffer.from("high tide");
    const written = await files.write({ name: "b.txt", mime: "text/plain", size: 9 }, once(content));
    expect(written).toEqual({ name: "b.txt", mime: "text/plain", size: 9, sha256: sha256(content) });
    // A part that is registered twice must not be removed as the one it replaces.
    expect(await kept.text(written)).toBe("high tide");
  });

  it("end as before when what is wrong is the file", async () => {
    const { store, files } = await openKept();
    const ofRun = runFiles({ files, store, orgId: ORG, runId: RUN, patience: PATIENCE });
    const write = ofRun.write({ name: "../b.txt", mime: "text/plain", size: 1 }, once(Buffer.from("x")));
    await expect(write).rejects.toMatchObject({ code: "bad_file_name" });
  });

  it("are given up with the attempt", async () => {
    const kept = await openKept();
    const given = await kept.give("a.txt", "low tide");
    const ending = new AbortController();
    let pauses = 0;
    const pause = async (): Promise<void> => void ((pauses += 1) === 20 && ending.abort());
    const store = failing(kept.store, "request", Infinity);
    const patience = { signal: ending.signal, pause };
    const files = runFiles({ files: kept.files, store, orgId: ORG, runId: RUN, patience });
    await expect(textOf(files.read(given))).rejects.toThrow(StoreUnavailable);
    expect(pauses).toBe(20);
  });

  it("do not fail the run, whose step has no retries", async () => {
    const kept = await openKept();
    const given = await kept.give("a.txt", "low tide");
    const seen: string[] = [];
    const adapter = stubAdapter({
      execute: async (_, { files }) => {
        if (files === undefined) throw new Error("no files");
        seen.push(await textOf(files.read(given)));
        return { status: "completed", stdout: "done" };
      },
    });
    const machine = new Machine(adapter, 1, {
      supersedesAll: true,
      files: (_orgId, _runId, signal) =>
        runFiles({
          ...kept,
          store: failing(kept.store, "request", 3),
          orgId: ORG,
          runId: RUN,
          patience: { ...PATIENCE, signal },
        }),
    });
    const runId = await machine.start("name: w\nsteps: [{ id: a, command: go }]\n");
    await machine.end(runId);
    expect(seen).toEqual(["low tide"]);
    expect((await machine.log(runId)).map(({ type }) => type)).toContain("run.completed");
  });
});

interface Reply {
  readonly status: number;
  readonly body: string;
}

/** A server that gives these answers, one after the other, and the last one to all that follow. */
async function openServer(replies: readonly Reply[]) {
  let asked = 0;
  const server = createServer((_request, response) => {
    const reply = replies[Math.min(asked, replies.length - 1)] ?? { status: 500, body: "" };
    asked += 1;
    response.writeHead(reply.status).end(reply.body);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}`, asked: () => asked, close: () => void server.close() };
}

const refused = (status: number, code: string): Reply => ({ status, body: JSON.stringify({ code, detail: code }) });
const AWAY = refused(503, "not_ready");

async function ofServer(
  replies: readonly Reply[],
  use: (files: AdapterFiles, asked: () => number, end: () => void) => Promise<void>,
  onPause: (count: number, end: () => void) => void = () => undefined,
): Promise<void> {
  const server = await openServer(replies);
  const agent = new PeerAgent();
  const ending = new AbortController();
  const end = (): void => ending.abort();
  let pauses = 0;
  const clock: { after: (ms: number, fire: () => void) => () => void } = {
    after: (_ms, fire) => {
      pauses += 1;
      onPause(pauses, end);
      const immediate = setImmediate(fire);
      return () => clearImmediate(immediate);
    },
  };
  try {
    await use(remoteFiles(server.url, { agent, clock, signal: ending.signal }), server.asked, end);
  } finally {
    agent.close();
    server.close();
  }
}

describe("files of an attempt at a Bridge", () => {
  const file: FileValue = { name: "a.txt", mime: "text/plain", size: 8, sha256: sha256("low tide") };

  it("wait for a server whose database is away, however long that is", async () => {
    await ofServer(
      [...Array.from({ length: 9 }, () => AWAY), { status: 200, body: "low tide" }],
      async (files, asked) => {
        expect(await textOf(files.read(file))).toBe("low tide");
        expect(asked()).toBe(10);
      },
    );
    const replies = [...Array.from({ length: 9 }, () => AWAY), { status: 201, body: '{"id":"up_1"}' }];
    const part = [AWAY, { status: 200, body: "{}" }];
    const done = [AWAY, { status: 200, body: JSON.stringify(file) }];
    await ofServer([...replies, ...part, ...done], async (files) => {
      expect(await files.write(file, once(Buffer.from("low tide")))).toEqual(file);
    });
  });

  it.each([
    ["in one piece", ["low tides"]],
    ["with the rest in a piece of its own", ["low tide", "s"]],
  ])("are written in no more parts than they have when there is more content, %s", async (_, pieces) => {
    async function* content(): AsyncIterable<Uint8Array> {
      for (const piece of pieces) yield Buffer.from(piece);
    }
    const replies = [{ status: 201, body: '{"id":"up_1"}' }, { status: 200, body: "{}" }, refused(404, "unknown_part")];
    await ofServer(replies, async (files, asked) => {
      await expect(files.write(file, content())).rejects.toMatchObject({ code: "size_mismatch" });
      expect(asked()).toBe(2);
    });
  });

  it("stop waiting when the dispatch ends", async () => {
    await ofServer(
      [AWAY],
      async (files, asked) => {
        await expect(textOf(files.read(file))).rejects.toThrow("aborted");
        expect(asked()).toBe(7);
      },
      (count, end) => {
        if (count === 7) end();
      },
    );
  });

  it.each([
    ["content that cannot be had", refused(503, "file_store_unavailable"), 4],
    ["a server that is broken", refused(500, "internal_error"), 4],
    ["a file of another run", refused(404, "unknown_file"), 1],
  ])("are given up for %s", async (_, reply, times) => {
    await ofServer([reply], async (files, asked) => {
      const { code } = JSON.parse(reply.body) as { readonly code: string };
      await expect(textOf(files.read(file))).rejects.toMatchObject({ code });
      expect(asked()).toBe(times);
    });
  });
});
