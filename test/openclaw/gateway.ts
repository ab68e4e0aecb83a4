import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { readBody, send } from "../providers/server.ts";

type Fields = Readonly<Record<string, unknown>>;

/** What the gateway does with one request. */
export type Turn =
  | { readonly kind: "answer"; readonly pieces: readonly string[]; readonly more?: Fields; readonly end?: TurnEnd }
  | {
      readonly kind: "status";
      readonly status: number;
      readonly headers?: Readonly<Record<string, string>>;
      readonly body: string;
    }
  | { readonly kind: "frames"; readonly frames: readonly string[] };

/** `hang`: never ends. `cut`: the connection goes away. */
type TurnEnd = "completed" | "incomplete" | "failed" | "hang" | "cut";

export interface GatewayRequest {
  readonly path: string;
  readonly headers: IncomingMessage["headers"];
  readonly body: Fields;
}

export interface FakeGateway {
  readonly url: string;
  readonly requests: readonly GatewayRequest[];
  /** Resolves once a client has hung up in the middle of an answer. */
  readonly hungUp: Promise<void>;
  close(): Promise<void>;
}

export const GATEWAY_TOKEN = "gateway-token-0123456789";

const USAGE = {
  input_tokens: 100,
  input_tokens_details: { cached_tokens: 10, cache_write_tokens: 0 },
  output_tokens: 20,
  output_tokens_details: { reasoning_tokens: 5 },
  total_tokens: 120,
};
const NOTHING_USED = {
  input_tokens: 0,
  input_tokens_details: { cached_tokens: 0, cache_write_tokens: 0 },
  output_tokens: 0,
  output_tokens_details: { reasoning_tokens: 0 },
  total_tokens: 0,
};

/** Speaks what an OpenClaw gateway speaks at `/v1/responses` and `/v1/models`, with the same frames in the same order. */
export async function startGateway(turn: (request: GatewayRequest) => Turn): Promise<FakeGateway> {
  const requests: GatewayRequest[] = [];
  let onHungUp: () => void = () => undefined;
  const hungUp = new Promise<void>((resolve) => (onHungUp = resolve));
  const server = createServer((request, response) => {
    void readBody(request).then((body) => {
      const { url: path = "", headers } = request;
      const isKnown = headers.authorization === `Bearer ${GATEWAY_TOKEN}`;
      if (!isKnown) return send(response, 401, error("Unauthorized", "unauthorized"));
      if (path === "/v1/models") return send(response, 200, JSON.stringify({ object: "list", data: [] }));
      if (path !== "/v1/responses") return send(response, 404, "Not Found");
      const received = { path, headers, body };
      requests.push(received);
      response.on("close", () => {
        if (!response.writableFinished) onHungUp();
      });
      perform(turn(received), String(body["model"]), response);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    hungUp,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

export function error(message: string, type: string): string {
  return JSON.stringify({ error: { message, type } });
}

function perform(turn: Turn, model: string, response: ServerResponse): void {
  if (turn.kind === "status") return send(response, turn.status, turn.body, turn.headers);
  response.writeHead(200, { "content-type": "text/event-stream; charset=utf-8", "cache-control": "no-cache" });
  if (turn.kind === "frames") return void response.end(turn.frames.join(""));
  const { pieces, more = {}, end = "completed" } = turn;
  for (const frame of opening(model)) response.write(frame);
  for (const delta of pieces) {
    response.write(event("response.output_text.delta", { item_id: "msg_1", output_index: 0, content_index: 0, delta }));
  }
  if (end === "hang") return;
  if (end === "cut") return void setImmediate(() => response.destroy());
  response.end(`${closing(model, pieces.join(""), end, more)}data: [DONE]\n\n`);
}

function opening(model: string): readonly string[] {
  const begun = resource(model, "in_progress", [], NOTHING_USED);
  const item = { type: "message", id: "msg_1", role: "assistant", content: [], status: "in_progress" };
  const part = { item_id: "msg_1", output_index: 0, content_index: 0, part: { type: "output_text", text: "" } };
  return [
    event("response.created", { response: begun }),
    event("response.in_progress", { response: begun }),
    event("response.output_item.added", { output_index: 0, item }),
    event("response.content_part.added", part),
  ];
}

function closing(model: string, text: string, end: "completed" | "incomplete" | "failed", more: Fields): string {
  if (end === "failed") {
    return event("response.failed", { response: { ...resource(model, end, [], NOTHING_USED), ...more } });
  }
  const content = [{ type: "output_text", text }];
  const item = { type: "message", id: "msg_1", role: "assistant", content, phase: "final_answer", status: end };
  const cut = end === "incomplete" ? { incomplete_details: { reason: "max_output_tokens" } } : {};
  const part = { item_id: "msg_1", output_index: 0, content_index: 0 };
  return [
    event("response.output_text.done", { ...part, text }),
    event("response.content_part.done", { ...part, part: content[0] }),
    event("response.output_item.done", { output_index: 0, item }),
    event(`response.${end}`, { response: { ...resource(model, end, [item], USAGE), ...cut, ...more } }),
  ].join("");
}

function resource(model: string, status: string, output: readonly unknown[], usage: Fields): Fields {
  return { id: "resp_1", object: "response", created_at: 1, status, model, output, usage };
}

export function event(type: string, data: Fields): string {
  return `event: ${type}\ndata: ${JSON.stringify({ type, ...data })}\n\n`;
}
