/** One run followed by many clients over HTTP: how much reaches all of them, and how long after its commit. */
import { type ChildProcessByStdio, spawn } from "node:child_process";
import type { Readable } from "node:stream";
import { createInterface } from "node:readline";
import { setTimeout as pause } from "node:timers/promises";
import type { Adapter } from "../src/adapter/index.ts";
import { adminKey, createApp, serve } from "../src/server/index.ts";
import type { Store } from "../src/store/index.ts";
import { createSystemClock } from "../src/clock/index.ts";
import { openGoverned } from "./governed.ts";
import { createEcho, median, ORG, prepare } from "./runtime.ts";
import { shapeOf } from "./shapes.ts";
import { type Arrival, CLIENTS, type ClientsLine, type ClientsPlan, machineNow } from "./stream-clients.ts";
import { rateOf, type Delivery, deliveriesOf } from "./stream-delivery.ts";

export interface StreamPlan {
  readonly clients: number;
  /** Nodes of the run that goes as fast as it can, and of the one that goes slowly. */
  readonly fastNodes: number;
  readonly slowNodes: number;
}

export interface StreamFigure {
  readonly clients: number;
  readonly eventsPerSecond: number;
  /** From the commit to the last client, while nothing is in a hurry. */
  readonly lastClientMs: number;
}

const KEY = "slk_benchmark_stream_key";
/** Between the nodes of the slow run, longer than a delivery to all clients takes. */
const GAP_MS = 200;

export async function measureStream(store: Store, plan: StreamPlan): Promise<StreamFigure> {
  const clock = createSystemClock();
  await store.ensureOrganisation(ORG);
  await store.putKey(adminKey(ORG, KEY, clock.now()));
  const gate = new Gate(createEcho(clock));
  const { driver, governance, gateways, close } = await openGoverned(store, gate.adapter);
  // All clients come with one key, which is no measure of anything a server limits.
  const { clients: most } = plan;
  const config = { streamsMax: most, streamsPerOrganisationMax: () => most, streamsPerPrincipalMax: most };
  const app = createApp({ store, runtime: driver, gateways, governance, config });
  const server = await serve({ app, port: 0, host: "127.0.0.1" });
  const committed = new Map<number, number>();
  let followed = "";
  const stopListening = driver.onCommitted((runId, events) => {
    const at = machineNow();
    if (runId === followed) for (const { eventId } of events) committed.set(eventId, at);
  });
  const follow = async (nodes: number, gapMs: number): Promise<readonly Delivery[]> => {
    gate.shut();
    const runner = await prepare(store, driver, shapeOf("chain").source(nodes));
    const { runId, ended } = await runner.begin();
    followed = runId;
    const clients = new Clients({
      url: `${server.url}/api/v1/runs/${runId}/events/stream`,
      key: KEY,
      clients: plan.clients,
    });
    try {
      await clients.ready;
      // What was committed before is no measure: the clients have just read it from the log.
      committed.clear();
      gate.open(gapMs);
      await ended;
      return deliveriesOf(await clients.done, committed, plan.clients);
    } finally {
      gate.open(0);
      clients.stop();
    }
  };
  try {
    await follow(plan.slowNodes, 0);
    const fast = await follow(plan.fastNodes, 0);
    const slow = await follow(plan.slowNodes, GAP_MS);
    return {
      clients: plan.clients,
      eventsPerSecond: rateOf(fast),
      lastClientMs: median(slow.map(({ committedMs, arrivedMs }) => arrivedMs - committedMs)),
    };
  } finally {
    stopListening();
    app.close();
    await close();
    await server.close(0);
  }
}

/** Holds the requests to an adapter until all clients are connected, then releases them, all at once or one by one. */
class Gate {
  readonly adapter: Adapter;
  #opened = Promise.resolve();
  #open: () => void = () => {};
  #gapMs = 0;

  constructor(inner: Adapter) {
    this.adapter = {
      ...inner,
      execute: async (request, hooks) => {
        await this.#opened;
        if (this.#gapMs > 0) await pause(this.#gapMs);
        return inner.execute(request, hooks);
      },
    };
  }

  shut(): void {
    this.#opened = new Promise((resolve) => {
      this.#open = resolve;
    });
  }

  open(gapMs: number): void {
    this.#gapMs = gapMs;
    this.#open();
  }
}

/** The process of the clients. */
class Clients {
  readonly ready: Promise<void>;
  readonly done: Promise<readonly Arrival[]>;
  readonly #child: ChildProcessByStdio<null, Readable, null>;

  constructor(plan: ClientsPlan) {
    const [, main = ""] = process.argv;
    this.#child = spawn(process.execPath, [...process.execArgv, main, CLIENTS, JSON.stringify(plan)], {
      stdio: ["ignore", "pipe", "inherit"],
    });
    const child = this.#child;
    const ended = new Promise<never>((_, reject) => {
      child.once("close", () => reject(new Error("the clients of the stream ended before they were done")));
    });
    const lines = createInterface({ input: child.stdout });
    const listeners = new Map<ClientsLine["type"], (line: ClientsLine) => void>();
    lines.on("line", (text) => {
      const line = JSON.parse(text) as ClientsLine;
      listeners.get(line.type)?.(line);
    });
    const lineOf = (type: ClientsLine["type"]): Promise<ClientsLine> =>
      Promise.race([new Promise<ClientsLine>((resolve) => listeners.set(type, resolve)), ended]);
    this.ready = lineOf("ready").then(() => {});
    this.done = lineOf("done").then((line) => {
      return line.type === "done" ? line.arrivals : [];
    });
    // Code that waits for one of them must not fail on an unhandled rejection of the other.
    this.done.catch(() => {});
  }

  stop(): void {
    this.#child.kill("SIGKILL");
  }
}
