import { join } from "node:path";
import type { Prng } from "../../simulation/prng.ts";
import { Api } from "./api.ts";
import { type Ground, KEY, openGround } from "./kills.ts";
import { freePort, Proxy } from "./proxy.ts";
import { type ServerProcess, startProgram, startServer } from "./server-process.ts";
import { waitFor } from "./waiting.ts";

export interface PairPlan {
  readonly dice: Prng;
  /** Null: the embedded database. */
  readonly databaseUrl: string | null;
  /** More than one are replicas over a database whose schema is there. */
  readonly servers?: number;
  /** The server's own adapter writes into the Bridge's ledger: work may come home when the Bridge has said goodbye. */
  readonly isLedgerShared?: boolean;
  /** What is answered; absent: the script of the samples. */
  readonly script?: string;
}

const BRIDGE_ID = "bridge";
const PORT_TRIES = 5;

interface Seat {
  process: ServerProcess;
  readonly port: number;
}

/**
 * Servers and a Bridge as processes of their own. Each side knows the other by the address of a proxy, which stays
 * when a process is killed and comes back elsewhere.
 */
export class Pair {
  readonly api: Api;
  readonly ledger: string;
  /** What the servers executed themselves: nothing, as long as the Bridge is registered. */
  readonly serverLedger: string;
  readonly outbox: string;
  readonly toServer: Proxy;
  readonly toBridge: Proxy;
  readonly #plan: PairPlan;
  readonly #ground: Ground;
  readonly #seats: (Seat | null)[];
  readonly #complaints: string[] = [];
  #bridge: Seat | null = null;

  static async open(plan: PairPlan): Promise<Pair> {
    let turn = 0;
    const toServer: Proxy = await Proxy.open({
      dice: plan.dice.fork("to server"),
      upstream: () => {
        const ports = pair.ports;
        turn += 1;
        return ports[turn % Math.max(1, ports.length)] ?? null;
      },
    });
    const toBridge: Proxy = await Proxy.open({
      dice: plan.dice.fork("to bridge"),
      upstream: () => pair.#bridge?.port ?? null,
    });
    const pair: Pair = new Pair(plan, toServer, toBridge);
    try {
      await Promise.all(pair.#seats.map((_, index) => pair.startServer(index)));
      await pair.startBridge();
      await pair.whenRegistered();
      return pair;
    } catch (error) {
      await pair.dispose();
      throw error;
    }
  }

  private constructor(plan: PairPlan, toServer: Proxy, toBridge: Proxy) {
    this.#plan = plan;
    this.#ground = openGround(plan.script);
    const { data, ledger } = this.#ground.settings;
    this.ledger = ledger;
    this.serverLedger = plan.isLedgerShared === true ? ledger : join(data, "server-ledger.jsonl");
    this.outbox = join(data, "bridges", BRIDGE_ID, "outbox");
    this.toServer = toServer;
    this.toBridge = toBridge;
    this.#seats = Array.from({ length: plan.servers ?? 1 }, () => null);
    this.api = new Api(KEY, () => this.ports.map((port) => `http://127.0.0.1:${port}`));
  }

  /** Of the servers that live. */
  get ports(): readonly number[] {
    return this.#seats.flatMap((seat) => (seat === null ? [] : [seat.port]));
  }

  /** What any of the processes, dead or alive, wrote to its error output. */
  get complaints(): string {
    const living = [...this.#seats, this.#bridge].map((seat) => seat?.process.complaints ?? "");
    return [...this.#complaints, ...living].join("");
  }

  async startServer(index = 0): Promise<void> {
    const { databaseUrl, servers = 1 } = this.#plan;
    this.#seats[index] = await onFreePort((port) =>
      startServer({
        ...this.#ground.settings,
        command: servers > 1 ? "serve" : "up",
        databaseUrl,
        ledger: this.serverLedger,
        port,
        publicUrl: this.toServer.url,
      }),
    );
  }

  async startBridge(): Promise<void> {
    const { data, script } = this.#ground.settings;
    this.#bridge = await onFreePort((port) => {
      const settings = {
        port: String(port),
        id: BRIDGE_ID,
        server: this.toServer.url,
        token: KEY,
        "public-url": this.toBridge.url,
        adapters: "scripted",
        script,
        ledger: this.ledger,
        data,
      };
      const flags = Object.entries(settings).flatMap(([name, value]) => [`--${name}`, value]);
      return startProgram(["bridge", "--json", ...flags], data);
    });
  }

  async killServer(index = 0): Promise<void> {
    const seat = this.#seats[index] ?? null;
    this.#seats[index] = null;
    await seat?.process.kill();
    this.#complaints.push(seat?.process.complaints ?? "");
  }

  async killBridge(): Promise<void> {
    const seat = this.#bridge;
    this.#bridge = null;
    await seat?.process.kill();
    this.#complaints.push(seat?.process.complaints ?? "");
  }

  /** SIGTERM; it is reached until it has ended. The exit code. */
  async stopBridge(): Promise<number | null> {
    const seat = this.#bridge;
    const code = (await seat?.process.stop()) ?? null;
    this.#bridge = null;
    this.#complaints.push(seat?.process.complaints ?? "");
    return code;
  }

  /** Every server knows it: they take turns in answering, and one that is asked looks for itself. */
  async whenRegistered(): Promise<void> {
    let inARow = 0;
    await waitFor("the Bridge to be registered", async () => {
      const gateway = (await this.api.listGateways()).find(({ id }) => id === BRIDGE_ID);
      inARow = gateway?.status === "healthy" && gateway.instanceId !== null ? inARow + 1 : 0;
      return inARow >= this.#seats.length;
    });
  }

  async dispose(): Promise<void> {
    await Promise.all([this.killBridge(), ...this.#seats.map((_, index) => this.killServer(index))]);
    await Promise.all([this.toServer.close(), this.toBridge.close()]);
    this.#ground.dispose();
  }
}

/** The port must be known to the proxy, and the server says only where others reach it. */
async function onFreePort(start: (port: number) => Promise<ServerProcess>): Promise<Seat> {
  for (let tries = 1; ; tries += 1) {
    const port = await freePort();
    try {
      return { process: await start(port), port };
    } catch (error) {
      const isTaken = error instanceof Error && /in use|EADDRINUSE/.test(error.message);
      if (!isTaken || tries >= PORT_TRIES) throw error;
    }
  }
}
