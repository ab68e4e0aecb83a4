import { ADAPTER_SPECIFICATION, type Adapter, type AdapterResult } from "../../adapter/index.ts";
import { ModelFileError } from "../ai-sdk/model-files.ts";
import type { Environment } from "../environment.ts";
import { fileFailure } from "../file-failure.ts";
import { awaitedSecrets, secretsInHeaders } from "../secret-lookup.ts";
import { headersOf, MCP_PROVIDER, readMcpConfig, type McpConfig } from "./config.ts";
import { connectServer, type McpConnection } from "./connection.ts";
import { failureOf } from "./mcp-failure.ts";
import { keepResources, withResources } from "./tool-files.ts";
import { readToolRequest } from "./tool-request.ts";
import { resultOf } from "./tool-result.ts";

export interface McpAdapterOptions {
  /** The source of secrets for headers and of variables for commands. */
  readonly env: Environment;
}

const CANCELLED: AdapterResult = { status: "failed", failure: "cancelled", message: "The request was cancelled." };

/** Calls one tool of a configured MCP server, without a model. */
export function createMcpAdapter({ env }: McpAdapterOptions): Adapter {
  let config: McpConfig = { servers: new Map(), pins: new Map() };
  const closings = new Set<Promise<void>>();

  /** Closes a connection and waits for it, unless the signal shows that the result is no longer needed. */
  const leave = async (connection: McpConnection, signal: AbortSignal): Promise<void> => {
    const closing = connection.close().finally(() => closings.delete(closing));
    closings.add(closing);
    if (!signal.aborted) await Promise.race([closing, aborted(signal)]);
  };

  return {
    specificationVersion: ADAPTER_SPECIFICATION,
    provider: MCP_PROVIDER,
    async initialize(section) {
      config = readMcpConfig(section);
    },
    async shutdown() {
      await Promise.all(closings);
    },
    checkHealth: () => Promise.resolve(healthOf(config, env)),
    capabilities: () => ({ streaming: false, structuredOutput: true, tools: false, deferred: false }),
    cancel: () => Promise.resolve(),
    secrets: () => secretsInHeaders(headersOf(config)),
    async execute(request, hooks) {
      const { signal } = hooks;
      if (signal.aborted) return endedBy(signal);
      let server = "";
      const work = async (): Promise<AdapterResult> => {
        const wanted = readToolRequest(request);
        server = wanted.server;
        const connection = await connectServer(config, wanted.server, env, hooks);
        try {
          const tool = await connection.findTool(wanted.tool);
          const args = await withResources(wanted.arguments, hooks.files);
          const said = await connection.call(tool, args, signal);
          const { answer, outputs } = await keepResources(request, said, hooks.files);
          const result = resultOf(answer, `${wanted.server}/${wanted.tool}`, wanted.server);
          return Object.keys(outputs).length === 0 ? result : { ...result, outputs: { ...result.outputs, ...outputs } };
        } finally {
          await leave(connection, signal);
        }
      };
      const outcome = work().catch((error: unknown): AdapterResult => {
        if (error instanceof ModelFileError) return fileFailure(error);
        const { failure, message, retryable } = failureOf(error, server, "call");
        return { status: "failed", failure, message, ...(retryable === undefined ? {} : { retryable }) };
      });
      const first = await Promise.race([outcome, aborted(signal)]);
      return first === undefined || signal.aborted ? endedBy(signal) : first;
    },
  };
}

function aborted(signal: AbortSignal): Promise<undefined> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve(undefined);
    else signal.addEventListener("abort", () => resolve(undefined), { once: true });
  });
}

function endedBy(signal: AbortSignal): AdapterResult {
  const reason: unknown = signal.reason;
  if (!(reason instanceof Error) || reason.name !== "TimeoutError") return CANCELLED;
  return { status: "failed", failure: "timeout", message: "The tool did not answer in time." };
}

/** Reports what can be checked without starting or calling anything. */
function healthOf(config: McpConfig, env: Environment): Awaited<ReturnType<Adapter["checkHealth"]>> {
  if (config.servers.size === 0) return { status: "healthy", message: "No MCP server is configured." };
  const message = awaitedSecrets(secretsInHeaders(headersOf(config)), env);
  return { status: "healthy", ...(message === null ? {} : { message }) };
}
