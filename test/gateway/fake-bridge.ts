import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { DISPATCH_ALIAS, DISPATCH_BATCH_PATH, DISPATCH_PATH, type DispatchBody } from "../../src/bridge/index.ts";
import { type Clock, createVirtualClock } from "../../src/clock/index.ts";

export interface Asked {
  readonly method: string;
  readonly path: string;
  readonly token: string | null;
  readonly text: string;
  /** The dispatches of a batch, the one that came alone, or none. */
  readonly dispatches: readonly DispatchBody[];
}

/** `reset`: the connection ends after the request was read. `hang`: nothing, until the Bridge closes. */
export type FakeReply =
  | {
      readonly status: number;
      readonly body?: unknown;
      readonly text?: string;
      readonly headers?: Readonly<Record<string, string>>;
    }
  | "reset"
  | "hang";

export interface FakeBridge {
  readonly url: string;
  readonly asked: Asked[];
  /** What it says next; may be changed at any time. */
  answer: (asked: Asked) => FakeReply | Promise<FakeReply>;
  /** The requests of one path, by how it begins. */
  to(method: string, path: string): readonly Asked[];
  close(): Promise<void>;
}

/** A Bridge of which a test says what it does, over real HTTP. */
export async function openFakeBridge(answer: FakeBridge["answer"] = acceptAll): Promise<FakeBridge> {
  const asked: Asked[] = [];
  const server = createServer((request, response) => void take(request, response));
  async function take(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const one = await readAsked(request);
    asked.push(one);
    const said = await bridge.answer(one);
    if (said === "hang") return;
    if (said === "reset") return void request.socket.destroy();
    response.writeHead(said.status, { "content-type": "application/json", ...said.headers });
    response.end(said.text ?? JSON.stringify(said.body ?? {}));
  }
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  const bridge: FakeBridge = {
    url: `http://127.0.0.1:${port}`,
    asked,
    answer,
    to: (method, path) => asked.filter((one) => one.method === method && one.path.startsWith(path)),
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
  return bridge;
}

async function readAsked(request: IncomingMessage): Promise<Asked> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  const text = Buffer.concat(chunks).toString("utf8");
  const path = request.url ?? "";
  const dispatches = dispatchesIn(path, text);
  const { authorization } = request.headers;
  return {
    method: request.method ?? "",
    path,
    token: authorization === undefined ? null : authorization.replace("Bearer ", ""),
    text,
    dispatches,
  };
}

function dispatchesIn(path: string, text: string): readonly DispatchBody[] {
  if (path === DISPATCH_BATCH_PATH) return (JSON.parse(text) as { dispatches: DispatchBody[] }).dispatches;
  if (path !== DISPATCH_PATH && path !== DISPATCH_ALIAS) return [];
  const { taskId: _, command: __, timeout: ___, ...body } = JSON.parse(text) as DispatchBody & SecondWords;
  return [body];
}

/** What a dispatch that goes alone says twice. */
interface SecondWords {
  readonly taskId: string;
  readonly command: string;
  readonly timeout: number;
}

/** How a Bridge says that it does not know a dispatch. */
export const UNKNOWN = { status: 404, body: { code: "unknown_dispatch", detail: "Not here." } } as const;

/** Takes everything, and knows nothing when it is asked. */
export function acceptAll({ method, path, dispatches }: Asked): FakeReply {
  if (method === "GET") return UNKNOWN;
  const [only] = dispatches;
  if (path !== DISPATCH_BATCH_PATH && only !== undefined) {
    return { status: 202, body: { accepted: true, dispatchId: only.dispatchId } };
  }
  const results = dispatches.map(({ dispatchId }) => ({ status: 202, body: { accepted: true, dispatchId } }));
  return { status: 200, body: { results } };
}

/** Where nothing listens. */
export async function refusingUrl(): Promise<string> {
  const bridge = await openFakeBridge();
  await bridge.close();
  return bridge.url;
}

/** Time that passes when a test says so, while requests take the time they take. */
export interface HandClock extends Clock {
  /** Every wait that was asked for, in order. */
  readonly waits: number[];
  pass(ms: number): Promise<void>;
}

export function createHandClock(startAt = 1_000_000): HandClock {
  const virtual = createVirtualClock(startAt);
  const waits: number[] = [];
  return {
    waits,
    now: () => virtual.now(),
    after(delayMs, fire) {
      waits.push(delayMs);
      return virtual.after(delayMs, fire);
    },
    async pass(ms) {
      let isOver = false;
      virtual.after(ms, () => {
        isOver = true;
      });
      await virtual.run(() => isOver);
    },
  };
}

/** Waits for what real requests bring about. */
export async function until(isTrue: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await isTrue())) await new Promise((resolve) => setImmediate(resolve));
}
