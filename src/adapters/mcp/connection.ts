import type {
  CallToolResult,
  Client,
  JsonSchemaValidator,
  jsonSchemaValidator,
  Tool,
} from "@modelcontextprotocol/client";
import type { AdapterHooks } from "../../adapter/index.ts";
import { digestJson, matchesGlob, type Json, type JsonObject } from "../../core/base/index.ts";
import type { Environment } from "../environment.ts";
import { secretLookup } from "../secret-lookup.ts";
import type { McpConfig } from "./config.ts";
import { openLink, type Link } from "./link.ts";
import { failureOf, McpFailure, notInstalled, tooLarge } from "./mcp-failure.ts";

/** A connection to one server for one execution. Nothing is shared, so answers cannot reach another execution. */
export interface McpConnection {
  /** Returns the tool. Throws when the server has no such tool, or it differs from the pinned one. */
  findTool(tool: string): Promise<Tool>;
  /** Returns all tools that match a pattern, in which `*` matches any characters. Throws when one differs from its pin. */
  fittingTools(pattern: string): Promise<readonly Tool[]>;
  /** `callId` is the same for every repetition, for servers that support idempotency keys. */
  call(tool: Tool, args: JsonObject, signal: AbortSignal, callId?: string): Promise<CallToolResult>;
  close(): Promise<void>;
}

const CONNECT_TIMEOUT_MS = 30_000;
/** Timeout of the MCP client. The Bridge ends a call at its deadline, so the client must not end it earlier. */
const NO_TIMEOUT_MS = 2_147_483_647;

/** The key in `_meta` that contains the idempotency key of a call. */
const CALL_ID = "sluice/idempotency-key";

/** Accepts every output. A server's own output schema is not checked, because its patterns could run forever. */
const TRUSTING_VALIDATOR: jsonSchemaValidator = {
  getValidator<T>(): JsonSchemaValidator<T> {
    return (input) => ({ valid: true, data: input as T, errorMessage: undefined });
  },
};

export async function connectServer(
  config: McpConfig,
  name: string,
  env: Environment,
  { signal, secret }: Pick<AdapterHooks, "signal" | "secret">,
): Promise<McpConnection> {
  const server = config.servers.get(name);
  if (server === undefined) throw unknownServer(name, [...config.servers.keys()]);
  const link = await openLink(server, env, secretLookup(env, secret, name), name);
  const sdk = await import("@modelcontextprotocol/client").catch(notInstalled);
  const client = new sdk.Client(
    { name: "sluice", version: "1" },
    {
      jsonSchemaValidator: TRUSTING_VALIDATOR,
      inputRequired: { autoFulfill: false },
      // With stdio, a query for the server's protocol revision would start its command twice.
      versionNegotiation: { mode: "url" in server ? "auto" : "legacy" },
    },
  );
  // oxlint-disable-next-line unicorn/prefer-add-event-listener -- the client is no event target
  client.onerror = (error) => {
    if (error.message.includes("exceeded maximum size")) link.trouble.isTooLarge = true;
  };
  const close = async (): Promise<void> => {
    await link.endSession().catch(() => undefined);
    await client.close().catch(() => undefined);
    await link.transport.close().catch(() => undefined);
    await link.close().catch(() => undefined);
  };
  try {
    await client.connect(link.transport, { signal, timeout: CONNECT_TIMEOUT_MS });
  } catch (error) {
    await close();
    throw explain(error, link, name, "connect");
  }
  return { ...verbsOf(client, link, config, name, signal), close };
}

function verbsOf(
  client: Client,
  link: Link,
  config: McpConfig,
  server: string,
  signal: AbortSignal,
): Omit<McpConnection, "close"> {
  const fail = (error: unknown): never => {
    throw explain(error, link, server, "call");
  };
  const list = async (): Promise<readonly Tool[]> =>
    (await client.listTools(undefined, { signal, timeout: NO_TIMEOUT_MS }).catch(fail)).tools;
  return {
    async findTool(wanted) {
      const tools = await list();
      const tool = tools.find((candidate) => candidate.name === wanted);
      if (tool === undefined) throw unknownTool(server, wanted, tools);
      checkPin(config, server, tool);
      return tool;
    },
    async fittingTools(pattern) {
      const tools = (await list()).filter(({ name }) => matchesGlob(pattern, `${server}/${name}`));
      for (const tool of tools) checkPin(config, server, tool);
      return tools;
    },
    call: (tool, args, callSignal, callId) =>
      client
        .callTool(
          { name: tool.name, arguments: args, ...(callId === undefined ? {} : { _meta: { [CALL_ID]: callId } }) },
          { signal: callSignal, timeout: NO_TIMEOUT_MS, toolDefinition: tool },
        )
        .catch(fail),
  };
}

function explain(error: unknown, link: Link, server: string, stage: "connect" | "call"): McpFailure {
  if (link.trouble.isTooLarge) return tooLarge(server);
  const failure = failureOf(error, server, stage);
  const tail = link.trouble.stderrTail.trim();
  if (tail === "") return failure;
  return new McpFailure(failure.failure, `${failure.message} It said: ${tail}`, failure.retryable);
}

function unknownServer(name: string, known: readonly string[]): McpFailure {
  return new McpFailure(
    "provider_refused",
    `unknown_server: no MCP server ${JSON.stringify(name.slice(0, 100))} is configured; there is: ${known.join(", ") || "none"}.`,
  );
}

function unknownTool(server: string, wanted: string, tools: readonly Tool[]): McpFailure {
  const known = tools.slice(0, 20).map((tool) => tool.name);
  return new McpFailure(
    "provider_refused",
    `unknown_tool: the MCP server "${server}" has no tool ${JSON.stringify(wanted.slice(0, 100))}; it has: ${known.join(", ") || "none"}.`,
  );
}

/** Returns the digest of the parts that a person reviewed when pinning a tool. */
function toolDigest(tool: Tool): string {
  return digestJson({ description: tool.description ?? "", inputSchema: tool.inputSchema as Json });
}

function checkPin(config: McpConfig, server: string, tool: Tool): void {
  const name = `${server}/${tool.name}`;
  const pinned = config.pins.get(name);
  if (pinned === undefined) return;
  const actual = toolDigest(tool);
  if (actual === pinned) return;
  throw new McpFailure(
    "provider_refused",
    `tool_changed: the description or schema of "${name}" is not the pinned one; it is ${actual} now. Read it again before you pin that.`,
  );
}
