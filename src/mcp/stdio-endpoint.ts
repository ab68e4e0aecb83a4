import type { Readable, Writable } from "node:stream";
import type { Server } from "@modelcontextprotocol/server";
import type { SluiceClient } from "../client/index.ts";
import { explainMissingPackage } from "../core/base/index.ts";
import type { McpServerParts } from "./mcp-server.ts";
import { OfferCache } from "./offer.ts";
import { fingerprintTools } from "./workflow-tool.ts";

/** The library is optional in an installation. Either of the two imports may be the first to find that it is missing. */
const notInstalled = explainMissingPackage("@modelcontextprotocol/server");

export interface McpStdioOptions extends Pick<McpServerParts, "explain" | "onTrouble"> {
  readonly api: SluiceClient;
  readonly input: Readable;
  readonly output: Writable;
  /** Id that is unique to this connection. */
  readonly connection: string;
  /** Calls `fire` after a delay. Returns a function that cancels it. */
  readonly after: (delayMs: number, fire: () => void) => () => void;
}

export interface McpStdio {
  /** Resolves when the client has disconnected. */
  readonly closed: Promise<void>;
  close(): Promise<void>;
}

/** Interval for checking the list of tools for a caller that has read it. */
const LOOK_MS = 10_000;

/** Serves MCP over a pair of streams, for one caller until they close. */
export async function serveMcpStdio(options: McpStdioOptions): Promise<McpStdio> {
  const [{ serveStdio, StdioServerTransport }, { createMcpServer }] = await Promise.all([
    import("@modelcontextprotocol/server/stdio").catch(notInstalled),
    import("./mcp-server.ts").catch(notInstalled),
  ]);
  const { api, input, output, connection, after, explain, onTrouble } = options;
  const offers = new OfferCache();
  const list = new ToolListWatch(api, after);
  const transport = new StdioServerTransport(input, output);
  const handle = serveStdio(
    () => {
      const onListing = (): Promise<void> => list.note(server);
      const server: Server = createMcpServer({
        api,
        offers,
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

/** Checks periodically whether the tools that the caller has listed have changed. */
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

  /** Reads the fingerprint before the list is sent. A change in between is then reported once too often rather than never. */
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

  /** Null when the API cannot be reached. The next check tries again, and every tool call reports the error itself. */
  #fingerprint(): Promise<string | null> {
    return fingerprintTools(this.#api).catch(() => null);
  }
}
