/** Many clients of one stream in a process of their own, so that what reads does not slow what is measured. */
import { Agent, get } from "node:http";

/** The argument with which the program of the benchmark becomes these clients. */
export const CLIENTS = "clients";

export interface ClientsPlan {
  readonly url: string;
  readonly key: string;
  readonly clients: number;
}

/** Lines on stdout: first when every client is connected and has read something, then when all streams have ended. */
export type ClientsLine = { readonly type: "ready" } | { readonly type: "done"; readonly arrivals: readonly Arrival[] };

/** When the last client had the event, by the clock all processes of a machine share. */
export interface Arrival {
  readonly eventId: number;
  readonly clients: number;
  readonly atMs: number;
}

/** Milliseconds of the machine's monotonic clock. */
export function machineNow(): number {
  return Number(process.hrtime.bigint() / 1_000n) / 1_000;
}

const ID = /(?:^|\n)id: ?(\d+)\n/g;

/** The event ids of what has arrived whole, and what is left of the text. */
export function readIds(text: string): { readonly ids: readonly number[]; readonly rest: string } {
  const end = text.lastIndexOf("\n\n");
  if (end === -1) return { ids: [], rest: text };
  const whole = text.slice(0, end + 2);
  return { ids: [...whole.matchAll(ID)].map((match) => Number(match[1])), rest: text.slice(end + 2) };
}

/** Fails as soon as one of them is turned away: nothing is measured of a crowd that is not complete. */
export async function followAll({ url, key, clients }: ClientsPlan, print: (line: ClientsLine) => void): Promise<void> {
  const agent = new Agent({ keepAlive: false, maxSockets: Number.POSITIVE_INFINITY });
  const arrivals = new Map<number, { clients: number; atMs: number }>();
  let waiting = clients;
  const follow = (): Promise<void> =>
    new Promise((resolve, reject) => {
      let text = "";
      let isHeard = false;
      const receive = (chunk: string): void => {
        const { ids, rest } = readIds(text + chunk);
        text = rest;
        const atMs = machineNow();
        for (const id of ids) arrivals.set(id, { clients: (arrivals.get(id)?.clients ?? 0) + 1, atMs });
        if (isHeard || ids.length === 0) return;
        isHeard = true;
        waiting -= 1;
        if (waiting === 0) print({ type: "ready" });
      };
      const request = get(url, { agent, headers: { authorization: `Bearer ${key}` } }, (response) => {
        if (response.statusCode !== 200) {
          response.resume();
          return reject(new Error(`a client of the stream was answered ${response.statusCode}`));
        }
        response.setEncoding("utf8");
        response.on("data", receive);
        response.once("end", resolve);
        response.once("error", reject);
      });
      request.once("error", reject);
    });
  await Promise.all(Array.from({ length: clients }, follow));
  print({ type: "done", arrivals: [...arrivals].map(([eventId, one]) => ({ eventId, ...one })) });
}
