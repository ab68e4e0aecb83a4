import { createServer, type IncomingMessage, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, describe, expect, it } from "vitest";
import { z } from "zod";
import type { GivenWork, SentResult } from "../contract/index.ts";
import { createWorker, NonRetryable, step, type StepFunction, WorkerError } from "./index.ts";

const FITS = { input: z.object({ n: z.number() }), output: z.object({ n: z.number() }) };
const twice = step({ ...FITS, run: ({ n }) => ({ n: 2 * n }) });

interface Asked {
  readonly path: string;
  readonly body: Record<string, unknown>;
}

type Reply = readonly [status: number, body: unknown];

const servers: Server[] = [];
afterEach(() => {
  for (const server of servers.splice(0)) {
    server.closeAllConnections();
    server.close();
  }
});

/** A server that answers as configured, and records what it was asked. */
async function listen(answer: (asked: Asked) => Reply | Promise<Reply>): Promise<{ url: string; asked: Asked[] }> {
  const asked: Asked[] = [];
  const server = createServer((request, response) => {
    void bodyOf(request).then(async (body) => {
      const one = { path: request.url ?? "", body };
      asked.push(one);
      const [status, reply] = await answer(one);
      response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(reply));
    });
  });
  servers.push(server);
  await new Promise<void>((resolve) => void server.listen(0, "127.0.0.1", resolve));
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, asked };
}

async function bodyOf(request: IncomingMessage): Promise<Record<string, unknown>> {
  const pieces: Buffer[] = [];
  for await (const piece of request) pieces.push(piece as Buffer);
  return JSON.parse(Buffer.concat(pieces).toString("utf8")) as Record<string, unknown>;
}

const problem = (status: number, code: string, detail: string): Reply => [status, { code, detail }];
const never = (): Promise<Reply> => new Promise(() => undefined);
const quiet = { key: "slk_test", signals: false, drainMs: 50, onNote: () => undefined };

const GIVEN = {
  dispatchId: "run_1/it/1",
  runId: "run_1",
  stepId: "it",
  attempt: 1,
  idempotencyKey: "run_1/it/0",
  inputs: { n: 2 },
  timeoutMs: null,
  effects: "at_least_once",
};

/** Gives work to a worker once, and returns what it reports. */
async function complete(functions: Record<string, StepFunction>, work: Partial<GivenWork>): Promise<SentResult> {
  let report: (result: SentResult) => void = () => undefined;
  const reported = new Promise<SentResult>((resolve) => (report = resolve));
  let isGiven = false;
  const { url } = await listen(({ path, body }) => {
    if (path.endsWith("/complete")) {
      report((body["results"] as SentResult[])[0] as SentResult);
      return [200, { results: [] }];
    }
    if (path.endsWith("/heartbeat")) return [200, { lost: [] }];
    if (!path.endsWith("/claim")) return [201, {}];
    if (isGiven) return never();
    isGiven = true;
    return [200, { work: [{ ...GIVEN, ...work }], cancelled: [] }];
  });
  const worker = createWorker({ ...quiet, url, functions });
  const done = worker.run();
  const result = await reported;
  await worker.stop();
  await done;
  return result;
}

describe("a worker", () => {
  it("runs a function with what it was given, and returns what came of it", async () => {
    const result = await complete({ twice }, { function: "twice" });
    expect(result).toMatchObject({ dispatchId: "run_1/it/1", status: "completed", outputs: { n: 4 } });
  });

  it("reports what was thrown with class and stack, and whether to try again", async () => {
    const fails = step({ ...FITS, run: () => Promise.reject(new RangeError("too far")) });
    expect(await complete({ fails }, { function: "fails" })).toMatchObject({
      status: "failed",
      error: {
        message: "too far",
        class: "RangeError",
        stack: expect.stringContaining("worker.test.ts"),
        retryable: true,
      },
    });
    class Declined extends NonRetryable {
      override readonly name = "Declined";
    }
    const declines = step({
      ...FITS,
      run: (_input, { log }) => {
        log("declining", "warning");
        throw new Declined("no funds");
      },
    });
    expect(await complete({ declines }, { function: "declines" })).toMatchObject({
      error: { class: "Declined", retryable: false },
      logs: [{ level: "warning", message: "declining" }],
    });
  });

  it("refuses what does not fit the schemas, and does not try again", async () => {
    expect(await complete({ twice }, { function: "twice", inputs: { n: "2" } })).toMatchObject({
      status: "failed",
      error: { message: expect.stringMatching(/^the inputs do not fit: n: /), retryable: false },
    });
    const wrong = step({ ...FITS, run: () => ({ n: "4" }) as unknown as { n: number } });
    expect(await complete({ wrong }, { function: "wrong" })).toMatchObject({
      error: { message: expect.stringMatching(/^what it returned does not fit its output schema: n: /) },
    });
  });

  it("ends a function that takes too long", async () => {
    const slow = step({ ...FITS, run: () => new Promise<never>(() => undefined) });
    expect(await complete({ slow }, { function: "slow", timeoutMs: 20 })).toMatchObject({ status: "timed_out" });
  });

  it("reports a failure in place of a result that is refused, and the results beside it as they are", async () => {
    const completed: SentResult[][] = [];
    let [isGiven, hasEnded] = [false, () => undefined as void];
    const ended = new Promise<void>((resolve) => (hasEnded = resolve));
    const { url } = await listen(({ path, body }) => {
      if (path.endsWith("/heartbeat")) return [200, { lost: [] }];
      if (path.endsWith("/complete")) {
        const results = body["results"] as SentResult[];
        if (results.some(({ outputs }) => outputs?.["n"] === 2)) return problem(413, "too_large", "Too large.");
        completed.push(results);
        if (completed.flat().length === 3) hasEnded();
        return [200, { results: [] }];
      }
      if (!path.endsWith("/claim")) return [201, {}];
      if (isGiven) return never();
      isGiven = true;
      const work = [0, 1, 2].map((n) => ({
        ...GIVEN,
        dispatchId: `run_1/it[${n}]/1`,
        function: "twice",
        inputs: { n },
      }));
      return [200, { work, cancelled: [] }];
    });
    const worker = createWorker({ ...quiet, url, functions: { twice } });
    const done = worker.run();
    await ended;
    await worker.stop();
    await done;
    const reported = completed.flat().map(({ dispatchId, status, error }) => [dispatchId, [status, error?.message]]);
    expect(Object.fromEntries(reported)).toEqual({
      "run_1/it[0]/1": ["completed", undefined],
      "run_1/it[1]/1": ["failed", "the server did not take the result: Too large."],
      "run_1/it[2]/1": ["completed", undefined],
    });
    expect(completed.flat().find(({ status }) => status === "failed")?.error?.retryable).toBe(false);
  });

  it("registers its functions with schemas, and asks once while there is nothing to do", async () => {
    let isAsked: () => void = () => undefined;
    const asking = new Promise<void>((resolve) => (isAsked = resolve));
    const { url, asked } = await listen(({ path }) => {
      if (path.endsWith("/heartbeat")) return [200, { lost: [] }];
      if (!path.endsWith("/claim")) return [201, {}];
      isAsked();
      return never();
    });
    const worker = createWorker({ ...quiet, url, functions: { twice } });
    const done = worker.run();
    await asking;
    expect(asked).toMatchObject([
      {
        path: "/api/v1/functions/twice",
        body: {
          input: { type: "object", properties: { n: { type: "number" } }, required: ["n"] },
          action: "execute",
          effects: "at_least_once",
        },
      },
      { path: "/api/v2/work/claim", body: { protocol: 1, functions: ["twice"], limit: 10 } },
    ]);
    await worker.stop();
    await done;
    expect(asked.at(-1)).toMatchObject({ path: "/api/v2/work/heartbeat", body: { leaving: true, held: [] } });
  });

  it.each([
    [
      problem(401, "unauthenticated", "The key is not known."),
      "unauthenticated",
      /does not take the key: The key is not known/,
    ],
    [problem(403, "forbidden", "The key needs registry:write."), "forbidden", /registry:write/],
    [problem(409, "schema_conflict", "Another schema."), "schema_conflict", /Another schema/],
    [problem(404, "not_found", "Nothing here."), "protocol_unsupported", /Upgrade the server/],
  ])("says why it can never work: %j", async (reply, code, message) => {
    const { url } = await listen(() => reply);
    const refused = createWorker({ ...quiet, url, functions: { twice } }).run();
    await expect(refused).rejects.toMatchObject({ name: "WorkerError", code, message: expect.stringMatching(message) });
  });

  it("waits for a server that is away", async () => {
    let answers = 0;
    const { url } = await listen(({ path }) => {
      if (path.endsWith("/heartbeat")) return [200, { lost: [] }];
      answers += 1;
      // Then something in between that takes every request for its own.
      if (path.endsWith("/claim")) return answers < 5 ? [200, { status: "ok" }] : never();
      return answers < 3 ? problem(503, "not_ready", "Soon.") : [201, {}];
    });
    const notes: string[] = [];
    const worker = createWorker({ ...quiet, url, functions: { twice }, onNote: (note) => notes.push(note) });
    const done = worker.run();
    await expect.poll(() => answers).toBe(5);
    expect(notes).toEqual([expect.stringContaining("trying again"), expect.stringMatching(/^ready as/)]);
    await worker.stop();
    await done;
  });
});

describe("the functions of a worker", () => {
  const made = (functions: Parameters<typeof createWorker>[0]["functions"]): (() => unknown) => {
    return () => createWorker({ ...quiet, url: "http://127.0.0.1:1", functions });
  };
  const schemas = (input: z.ZodType, output: z.ZodType = z.object({})): Record<string, StepFunction> => ({
    it: step({ input, output, run: () => ({}) }),
  });

  it.each([
    [made({}), "no_functions", /no functions/],
    [made([{ twice }, { twice }]), "duplicate_function", /Two functions have the name "twice"/],
    [made({ "a b": twice }), "bad_name", /"a b" cannot be the name/],
    [made({ it: (() => 1) as unknown as StepFunction }), "bad_function", /Write step\(/],
    [made(schemas(z.string())), "schema_unsupported", /it\.input must be a schema of an object/],
    [made(schemas(z.object({ when: z.date() }))), "schema_unsupported", /it\.input\.when cannot be written/],
    [
      made(schemas(z.object({}), z.object({ list: z.array(z.object({ n: z.string().transform(Number) })) }))),
      "schema_unsupported",
      /it\.output\.list\[\]\.n cannot be written/,
    ],
    [made(schemas({ parse: () => 1 } as unknown as z.ZodType)), "schema_unsupported", /no schema that can print/],
  ])("are refused at once when they cannot be used", (make, code, message) => {
    expect(make).toThrow(WorkerError);
    expect(make).toThrow(expect.objectContaining({ code, message: expect.stringMatching(message) }));
  });

  it("need a server and a key", () => {
    const functions = { twice };
    expect(() => createWorker({ ...quiet, url: "", functions })).toThrow("Which server?");
    expect(() => createWorker({ ...quiet, url: "nowhere", functions })).toThrow("is no address");
    expect(() => createWorker({ ...quiet, url: "http://127.0.0.1:1", key: "", functions })).toThrow("With which key?");
  });
});
