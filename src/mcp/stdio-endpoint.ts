import type { Readable, Writable } from "node:stream";
import type { Server } from "@modelcontextprotocol/server";
import type { SluiceClient } from "../client/index.ts";
import { orMissing } from "../core/base/index.ts";
import type { McpServerParts } from "./mcp-server.ts";
import { OfferShelf } from "./offer.ts";
import { fingerprintTools } from "./workflow-tool.ts";

/** An installation may leave the library out; whichever of the two imports finds that first. */
const notInstalled = orMissing("@modelcontextprotocol/server");

export interface McpStdioOptions extends Pick<McpServerParts, "explain" | "onTrouble"> {
  readonly api: SluiceClient;
  readonly input: Readable;
  readonly output: Writable;
  /** Unique to this connection. */
  readonly connection: string;
  /** Calls back after a delay; what it gives takes the call back. */
  readonly after: (delayMs: number, fire: () => void) => () => void;
}

export interface McpStdio {
  /** When the client has gone. */
  readonly closed: Promise<void>;
  close(): Promise<void>;
}

/** How often the registry is looked at for a caller who has seen the list of tools. */
const LOOK_MS = 10_000;

/** MCP over a pair of streams, one caller for as long as they are open. */
export async function serveMcpStdio(options: McpStdioOptions): Promise<McpStdio> {
  const [{ serveStdio, StdioServerTransport }, { createMcpServer }] = await Promise.all([
    import("@modelcontextprotocol/server/stdio").catch(notInstalled),
    import("./mcp-server.ts").catch(notInstalled),
  ]);
  const { api, input, output, connection, after, explain, onTrouble } = options;
  const shelf = new OfferShelf();
  const list = new ToolListWatch(api, after);
  const transport = new StdioServerTransport(input, output);
  const handle = serveStdio(
    () => {
      const onListing = (): Promise<void> => list.note(server);
      const server: Server = createMcpServer({
        api,
        shelf,
        connection,
        calls: null,
        announces: true,
        onListing,
        explain,
        onTrouble,
      });
      return server;
    },
    { transport, onerror: (error) => onTrouble("the connection", error) },
  );
  const closed = new Promise<void>((resolve) => {
    const wasClosed = transport.onclose;
    // oxlint-disable-next-line unicorn/prefer-add-event-listener -- the transport is no event target
    transport.onclose = () => {
      wasClosed?.();
      list.stop();
      resolve();
    };
  });
  return { closed, close: () => handle.close() };
}

/** Looks from time to time whether the tools a caller has seen are still those there are. */
class ToolListWatch {
  readonly #api: SluiceClient;
  readonly #after: McpStdioOptions["after"];
  #seen: string | null = null;
  #server: Server | null = null;
  #stop: (() => void) | null = null;
  #isOver = false;

  constructor(api: SluiceClient, after: McpStdioOptions["after"]) {
    this.#api = api;
    this.#after = after;
  }

  /** Read before the caller is notified: a change in between is reported once too often rather than never. */
  async note(server: Server): Promise<void> {
    this.#server = server;
    this.#seen = await this.#fingerprint();
    if (!this.#isOver && this.#stop === null) this.#wait();
  }

  stop(): void {
    this.#isOver = true;
    this.#stop?.();
  }

  async #look(): Promise<void> {
    const found = await this.#fingerprint();
    if (this.#isOver) return;
    if (found !== null && this.#seen !== null && found !== this.#seen) {
      await this.#server?.sendToolListChanged().catch(() => undefined);
    }
    this.#seen = found ?? this.#seen;
    this.#wait();
  }

  #wait(): void {
    this.#stop = this.#after(LOOK_MS, () => void this.#look());
  }

  /** A server that cannot be reached now is looked at again, and every call of a tool says so itself. */
  #fingerprint(): Promise<string | null> {
    return fingerprintTools(this.#api).catch(() => null);
  }
}
