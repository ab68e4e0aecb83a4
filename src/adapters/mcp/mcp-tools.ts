import type { Tool } from "@modelcontextprotocol/client";
import type { FindSecret, SecretReference } from "../../adapter/index.ts";
import { type Json, type JsonObject, mayNameToolOf } from "../../core/base/index.ts";
import type { Environment } from "../environment.ts";
import { secretsInHeaders } from "../secret-lookup.ts";
import { headersOf, readMcpConfig, splitName } from "./config.ts";
import { connectServer, type McpConnection } from "./connection.ts";
import { McpFailure } from "./mcp-failure.ts";
import { answerOf } from "./tool-result.ts";

/** A tool in the form in which it is offered to a model. */
export interface McpTool {
  readonly description: string;
  readonly inputSchema: JsonObject;
  readonly tool: string;
  readonly server: string;
  /** The server's own hints about the tool. They are reliable only when the server is trusted. */
  readonly hints: { readOnly?: boolean; destructive?: boolean };
  /** Runs the tool. Rejects with the tool's error text for the model. `callId` is sent in `_meta`. */
  execute(args: JsonObject, signal: AbortSignal, callId: string): Promise<Json>;
}

export interface McpTools {
  /** Tools by a name that every vendor accepts: `server__tool`. */
  readonly tools: Readonly<Record<string, McpTool>>;
  readonly close: () => Promise<void>;
}

const MODEL_NAME_LENGTH_MAX = 64;

/**
 * Opens the named tools (`server/tool`, `*` for any characters) for one execution, with one connection per server.
 * Rejects with an McpFailure, which contains the failure class, when a tool is not available.
 */
export function openMcpTools(
  section: JsonObject,
  env: Environment,
): (names: readonly string[], signal: AbortSignal, secret?: FindSecret) => Promise<McpTools> {
  const config = readMcpConfig(section);
  return async (names, signal, secret) => {
    const hooks = { signal, ...(secret === undefined ? {} : { secret }) };
    const connections = new Map<string, McpConnection>();
    const close = async (): Promise<void> => {
      await Promise.all(Array.from(connections.values(), (connection) => connection.close()));
    };
    const open = async (server: string): Promise<McpConnection> => {
      const connection = connections.get(server) ?? (await connectServer(config, server, env, hooks));
      connections.set(server, connection);
      return connection;
    };
    const found = new Map<string, McpTool>();
    const add = (connection: McpConnection, server: string, tool: Tool): void => {
      const name = `${server}/${tool.name}`;
      found.set(name, offer(connection, server, tool));
    };
    try {
      for (const name of names) {
        if (name.includes("*")) {
          for (const server of [...config.servers.keys()].filter((key) => mayNameToolOf(name, key))) {
            const connection = await open(server);
            for (const tool of await connection.fittingTools(name)) add(connection, server, tool);
          }
          continue;
        }
        const split = splitName(name);
        if (split === undefined) throw notAName(name);
        const connection = await open(split.server);
        add(connection, split.server, await connection.findTool(split.tool));
      }
    } catch (error) {
      await close();
      throw error;
    }
    const tools = new Map<string, McpTool>();
    for (const [name, tool] of found) tools.set(freeName(name, tools), tool);
    return { tools: Object.fromEntries(tools), close };
  };
}

function offer(connection: McpConnection, server: string, tool: Tool): McpTool {
  return {
    description: tool.description ?? "",
    inputSchema: tool.inputSchema as JsonObject,
    tool: tool.name,
    server,
    hints: hintsOf(tool),
    execute: async (args, signal, callId) =>
      answerOf(await connection.call(tool, args, signal, callId), `${server}/${tool.name}`, server),
  };
}

function hintsOf({ annotations }: Tool): McpTool["hints"] {
  const { readOnlyHint, destructiveHint } = annotations ?? {};
  return {
    ...(typeof readOnlyHint === "boolean" ? { readOnly: readOnlyHint } : {}),
    ...(typeof destructiveHint === "boolean" ? { destructive: destructiveHint } : {}),
  };
}

/** Returns the secrets that the servers of the section name. */
export function mcpSecrets(section: JsonObject): readonly SecretReference[] {
  return secretsInHeaders(headersOf(readMcpConfig(section)));
}

function notAName(name: string): McpFailure {
  return new McpFailure(
    "provider_refused",
    `unknown_tool: ${JSON.stringify(name.slice(0, 100))} names no tool; tools are written "server/tool".`,
  );
}

/** Returns a unique name with only letters, digits, `_` and `-`, as vendors require. */
function freeName(name: string, taken: ReadonlyMap<string, unknown>): string {
  const plain = name.replace("/", "__").replaceAll(/[^A-Za-z0-9_-]/g, "_");
  let free = plain.slice(0, MODEL_NAME_LENGTH_MAX);
  for (let count = 2; taken.has(free); count += 1) {
    const mark = `_${String(count)}`;
    free = plain.slice(0, MODEL_NAME_LENGTH_MAX - mark.length) + mark;
  }
  return free;
}
