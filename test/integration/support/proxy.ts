import { connect, createServer, type AddressInfo, type Server, type Socket } from "node:net";
import { setTimeout as pause } from "node:timers/promises";
import type { Prng } from "../../simulation/prng.ts";

/** What may happen to one request, or to its answer. */
export const FAULTS = [
  "delay",
  "reset-before",
  "reset-inside",
  "reset-after",
  "reset-before-reply",
  "truncate",
  "duplicate",
  "reset-idle",
] as const;
export type Fault = (typeof FAULTS)[number];

/**
 * `fair`: everything passes. `foul`: so large a share of the requests meets a fault. `hole`: nothing passes, and what
 * came meanwhile passes when it is over, also when it is not needed any more. `mute`: requests pass, and no answer does.
 */
export type Weather = { readonly kind: "fair" | "hole" | "mute" } | { readonly kind: "foul"; readonly share: number };

export interface ProxyOptions {
  readonly dice: Prng;
  /** Where the next request goes; null: there is none. */
  readonly upstream: () => number | null;
}

const HOST = "127.0.0.1";
const DELAY_MS_MAX = 400;
const IDLE_MS_MAX = 60;

/** A stable address whose network can be made as bad as a test likes. Speaks just enough HTTP to know where requests end. */
export class Proxy {
  readonly faults = new Map<Fault, number>();
  /** The first line of every request that came. */
  readonly requests: string[] = [];
  readonly #options: ProxyOptions;
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();
  #weather: Weather = { kind: "fair" };
  #waiting: (() => void)[] = [];
  #deck: Fault[] = [];

  private constructor(options: ProxyOptions) {
    this.#options = options;
    this.#server = createServer((client) => {
      const line = new Line(this, this.#own(client));
      line.listen();
    });
  }

  static async open(options: ProxyOptions): Promise<Proxy> {
    const proxy = new Proxy(options);
    await new Promise<void>((resolve) => proxy.#server.listen(0, HOST, resolve));
    return proxy;
  }

  get url(): string {
    return `http://${HOST}:${(this.#server.address() as AddressInfo).port}`;
  }

  get faultCount(): number {
    return [...this.faults.values()].reduce((sum, count) => sum + count, 0);
  }

  get weather(): Weather {
    return this.#weather;
  }

  set weather(weather: Weather) {
    this.#weather = weather;
    if (weather.kind === "hole") return;
    for (const go of this.#waiting.splice(0)) go();
  }

  async close(): Promise<void> {
    const closed = new Promise<void>((resolve) => this.#server.close(() => resolve()));
    for (const socket of this.#sockets) socket.destroy();
    await closed;
  }

  whenOpen(): Promise<void> {
    if (this.#weather.kind !== "hole") return Promise.resolve();
    return new Promise((resolve) => this.#waiting.push(resolve));
  }

  /** What happens to the next request. */
  roll(): Fault | null {
    const { dice } = this.#options;
    if (this.#weather.kind !== "foul" || !dice.chance(this.#weather.share)) return null;
    // Dealt like cards: every kind comes before any comes again.
    if (this.#deck.length === 0) this.#deck = shuffled(FAULTS, dice);
    const fault = this.#deck.pop() ?? "delay";
    this.faults.set(fault, (this.faults.get(fault) ?? 0) + 1);
    return fault;
  }

  get dice(): Prng {
    return this.#options.dice;
  }

  connect(): Socket | null {
    const port = this.#options.upstream();
    return port === null ? null : this.#own(connect(port, HOST));
  }

  #own(socket: Socket): Socket {
    this.#sockets.add(socket);
    socket.setNoDelay(true);
    socket.on("error", () => undefined);
    socket.once("close", () => this.#sockets.delete(socket));
    return socket;
  }
}

/** One connection of a client. Every request gets a connection of its own to the other side. */
class Line {
  readonly #proxy: Proxy;
  readonly #client: Socket;
  #bytes: Buffer = Buffer.alloc(0);
  #upstream: Socket | null = null;
  #turn: Promise<void> = Promise.resolve();

  constructor(proxy: Proxy, client: Socket) {
    this.#proxy = proxy;
    this.#client = client;
  }

  listen(): void {
    this.#client.on("data", (chunk: Buffer) => this.#read(chunk));
    this.#client.once("close", () => this.#upstream?.destroy());
  }

  #read(chunk: Buffer): void {
    this.#bytes = Buffer.concat([this.#bytes, chunk]);
    for (let length = requestLength(this.#bytes); length !== null; length = requestLength(this.#bytes)) {
      const bytes = this.#bytes.subarray(0, length);
      this.#bytes = this.#bytes.subarray(length);
      this.#proxy.requests.push(bytes.toString("latin1", 0, bytes.indexOf("\r\n")));
      this.#turn = this.#turn.then(() => this.#carry(bytes));
    }
  }

  async #carry(bytes: Buffer): Promise<void> {
    await this.#proxy.whenOpen();
    const fault = this.#proxy.roll();
    if (fault === "reset-before") return this.#hangUp();
    if (fault === "delay") await pause(this.#proxy.dice.below(DELAY_MS_MAX));
    this.#upstream?.destroy();
    const upstream = this.#proxy.connect();
    this.#upstream = upstream;
    if (upstream === null) return this.#hangUp();
    if (fault === "reset-inside") {
      upstream.write(bytes.subarray(0, this.#proxy.dice.below(bytes.length)), () => upstream.resetAndDestroy());
      return this.#hangUp();
    }
    // Closed by the other side, or killed: the client is disconnected, unless it gets the answer first.
    upstream.once("close", () => {
      if (this.#upstream === upstream && this.#proxy.weather.kind !== "mute") this.#client.destroy();
    });
    this.#answer(upstream, fault);
    upstream.write(bytes, () => {
      if (fault === "reset-after") this.#leave(upstream);
    });
    if (fault === "duplicate") void this.#repeat(bytes);
  }

  /** How the answer reaches the client, or does not. */
  #answer(upstream: Socket, fault: Fault | null): void {
    let passable = fault === "truncate" ? this.#proxy.dice.between(1, 200) : Number.POSITIVE_INFINITY;
    upstream.on("data", (chunk: Buffer) => {
      void this.#proxy.whenOpen().then(() => {
        if (this.#client.destroyed) return void upstream.destroy();
        if (this.#proxy.weather.kind === "mute") return;
        if (fault === "reset-before-reply") return this.#hangUp();
        this.#client.write(chunk.subarray(0, passable));
        passable -= chunk.length;
        if (passable <= 0) this.#client.end();
        if (fault === "reset-idle") {
          void pause(this.#proxy.dice.below(IDLE_MS_MAX)).then(() => this.#hangUp());
        }
      });
    });
  }

  /** The client is cut off; the other side continues with what it was sent, or is cut off as well. */
  #leave(upstream: Socket): void {
    if (this.#proxy.dice.chance(0.5)) this.#upstream = null;
    else upstream.resetAndDestroy();
    this.#hangUp();
  }

  /** The same bytes once more, on a connection that is not read: now, or when everything else is over. */
  async #repeat(bytes: Buffer): Promise<void> {
    if (this.#proxy.dice.chance(0.5)) await pause(this.#proxy.dice.below(DELAY_MS_MAX));
    const upstream = this.#proxy.connect();
    upstream?.once("data", () => upstream.destroy());
    upstream?.write(bytes);
  }

  #hangUp(): void {
    this.#client.resetAndDestroy();
  }
}

function shuffled<T>(items: readonly T[], dice: Prng): T[] {
  const keyed = items.map((item) => ({ item, key: dice.next() }));
  return keyed.toSorted((left, right) => left.key - right.key).map(({ item }) => item);
}

const HEAD_END = "\r\n\r\n";

/** Bytes of the first request; null while it is not whole. Peers always say how long a body is. */
function requestLength(bytes: Buffer): number | null {
  const end = bytes.indexOf(HEAD_END);
  if (end < 0) return null;
  const head = bytes.toString("latin1", 0, end);
  const length = end + HEAD_END.length + Number(/^content-length: *(\d+)/im.exec(head)?.[1] ?? 0);
  return bytes.length < length ? null : length;
}

/** A free port. Another process may take it before it is used: its user must be ready to ask again. */
export function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const probe = createServer();
    probe.once("error", reject);
    probe.listen(0, HOST, () => {
      const { port } = probe.address() as AddressInfo;
      probe.close(() => resolve(port));
    });
  });
}
