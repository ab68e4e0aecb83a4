import { readdirSync, readFileSync, readlinkSync } from "node:fs";
import { createServer, type Server } from "node:http";
import { type AddressInfo, connect, type Socket } from "node:net";

/** A proxy as networks have it that let connections only out: it joins two ends when the inner one asks (CONNECT). */
export class ExitProxy {
  /** Where connections were asked to go. */
  readonly asked: string[] = [];
  readonly #server: Server = createServer((_request, response) => void response.writeHead(405).end());
  readonly #sockets = new Set<Socket>();

  /** Names that only the proxy knows, with their ports on this machine. */
  static async open(known: Readonly<Record<string, number>>): Promise<ExitProxy> {
    const proxy = new ExitProxy();
    proxy.#server.on("connect", ({ url = "" }, inner: Socket) => {
      proxy.asked.push(url);
      const port = known[url];
      if (port === undefined) return void inner.end("HTTP/1.1 403 Forbidden\r\n\r\n");
      const outer = connect(port, "127.0.0.1", () => inner.write("HTTP/1.1 200 Connection established\r\n\r\n"));
      for (const [from, to] of [
        [inner, outer],
        [outer, inner],
      ] as const) {
        proxy.#sockets.add(from);
        from.on("error", () => to.destroy());
        from.on("close", () => to.destroy());
        from.pipe(to);
      }
    });
    await new Promise<void>((resolve) => proxy.#server.listen(0, "127.0.0.1", resolve));
    return proxy;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  close(): void {
    for (const socket of this.#sockets) socket.destroy();
    this.#server.close();
  }
}

const LISTENING = "0A";

/** How many sockets of a process wait for connections; Linux writes it down. */
export function countListeners(pid: number): number {
  const rows = ["tcp", "tcp6"].flatMap((name) => readFileSync(`/proc/${pid}/net/${name}`, "utf8").split("\n").slice(1));
  const listening = new Set(
    rows.map((row) => row.trim().split(/\s+/)).flatMap((row) => (row[3] === LISTENING ? [row[9]] : [])),
  );
  const open = readdirSync(`/proc/${pid}/fd`).flatMap((fd) => {
    try {
      return [/^socket:\[(\d+)\]$/.exec(readlinkSync(`/proc/${pid}/fd/${fd}`))?.[1]];
    } catch {
      // Closed since.
      return [];
    }
  });
  return open.filter((inode) => inode !== undefined && listening.has(inode)).length;
}
