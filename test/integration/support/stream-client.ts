import { Agent, get, type IncomingMessage } from "node:http";
import { setTimeout as pause } from "node:timers/promises";
import type { EventFrame } from "../../../src/core/view/index.ts";
import type { Prng } from "../../simulation/prng.ts";
import type { Api } from "./api.ts";
import { PATIENCE_MS } from "./waiting.ts";

/** One connection to a stream, from its first byte to its end. */
export interface Connection {
  readonly status: number;
  readonly frames: readonly EventFrame[];
}

export interface StreamRequest {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  /** The client hangs up after so many events. */
  readonly framesMax: number;
  readonly onFrame?: (frame: EventFrame) => void;
}

// Thousands of streams need as many sockets, and none of them is ever used twice.
const agent = new Agent({ keepAlive: false, maxSockets: Number.POSITIVE_INFINITY });

/** Reads a stream until it ends or enough was read; a connection that breaks is one that ended. */
export function readStream({ url, headers, framesMax, onFrame }: StreamRequest): Promise<Connection> {
  return new Promise((resolve) => {
    const frames: EventFrame[] = [];
    let status = 0;
    const finish = (): void => resolve({ status, frames });
    const request = get(url, { headers, agent }, (response: IncomingMessage) => {
      status = response.statusCode ?? 0;
      let text = "";
      response.setEncoding("utf8");
      response.on("data", (chunk: string) => {
        if (status !== 200) return;
        const blocks = `${text}${chunk}`.split("\n\n");
        text = blocks.pop() ?? "";
        for (const frame of blocks.flatMap(frameOf)) {
          if (frames.length >= framesMax) break;
          frames.push(frame);
          onFrame?.(frame);
        }
        if (frames.length >= framesMax) request.destroy();
      });
      response.on("close", finish);
      response.on("error", finish);
    });
    request.on("error", finish);
  });
}

/** The event of a block of lines; none for comments, heartbeats and advice on reconnecting. */
function frameOf(block: string): readonly EventFrame[] {
  const fields = new Map<string, string>();
  for (const line of block.split("\n")) {
    const colon = line.indexOf(":");
    if (colon > 0) fields.set(line.slice(0, colon), line.slice(colon + 1).trimStart());
  }
  const data = fields.get("data");
  if (data === undefined || fields.get("event") === "heartbeat") return [];
  const frame = JSON.parse(data) as EventFrame;
  // An end without an event: the caller may no longer read.
  if (fields.get("event") === "auth.expired") throw new Error(`the stream has ended: ${data}`);
  if (fields.get("id") !== String(frame.eventId))
    throw new Error(`id ${fields.get("id")} names event ${frame.eventId}`);
  if (fields.get("event") !== frame.type) throw new Error(`event ${fields.get("event")} names ${frame.type}`);
  return [frame];
}

/** Follows a run with a connection that breaks all the time; what it has read when the server says there is no more. */
export async function followRestlessly(
  api: Api,
  runId: string,
  dice: Prng,
  patienceMs = PATIENCE_MS,
): Promise<readonly EventFrame[]> {
  const read: EventFrame[] = [];
  const until = Date.now() + patienceMs;
  while (Date.now() < until) {
    const base = api.nextUrl();
    if (base === undefined) {
      await pause(50);
      continue;
    }
    const last = read.at(-1)?.eventId ?? 0;
    const isByHeader = dice.chance(0.5);
    const path = dice.chance(0.5) ? `/api/v1/runs/${runId}/events/stream` : `/execute/workflows/${runId}/events`;
    const { status, frames } = await readStream({
      url: `${base}${path}${isByHeader ? "" : `?afterEventId=${last}`}`,
      headers: { ...api.headers, ...(isByHeader ? { "last-event-id": String(last) } : {}) },
      framesMax: dice.between(1, 12),
    });
    read.push(...frames);
    if (status === 204) return read;
    if (status !== 200) await pause(30);
  }
  throw new Error(`${runId} was followed in vain, ${read.length} events long`);
}
