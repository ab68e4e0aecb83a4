import { randomUUID } from "node:crypto";
import type { Readable, Writable } from "node:stream";
import { serveMcpStdio } from "../mcp/index.ts";
import { ApiError } from "../client/index.ts";
import { Api } from "./api.ts";
import { EXIT } from "./exit-code.ts";
import type { Io } from "./io.ts";
import { demandServer, type LinkOptions } from "./server-link.ts";
import { STOP_MS } from "./serve-until-stopped.ts";
import { printable } from "./terminal-text.ts";

export interface McpStreams {
  readonly input: Readable;
  readonly output: Writable;
}

/** Serves MCP to the client that started this process, until the client disconnects. Only MCP messages go to standard output. */
export async function mcp(
  io: Io,
  options: LinkOptions,
  { input, output }: McpStreams = { input: process.stdin, output: process.stdout },
): Promise<number> {
  const link = demandServer(io, options);
  if (io.isInputTty)
    io.err.write("waiting for an MCP client on standard input; sluice mcp --help shows how to set one up\n");
  if (link.key === null) io.err.write("sluice: no key is known: set SLUICE_KEY, or every call will be refused\n");
  const serving = await serveMcpStdio({
    api: new Api(link),
    input,
    output,
    connection: randomUUID(),
    after: (delayMs, fire) => io.clock.after(delayMs, fire),
    explain: (error) => (error instanceof ApiError ? { code: error.code, message: error.detail } : null),
    onTrouble: (what, error) => {
      io.err.write(
        `sluice: ${printable(what)}: ${printable(error instanceof Error ? error.message : String(error))}\n`,
      );
    },
  });
  const timers: (() => void)[] = [];
  const stopListening = io.onInterrupt(() => {
    timers.push(io.clock.after(STOP_MS, () => io.exitNow(EXIT.fine)));
    void serving.close();
  });
  await serving.closed;
  stopListening();
  for (const stopTimer of timers) stopTimer();
  return EXIT.fine;
}
