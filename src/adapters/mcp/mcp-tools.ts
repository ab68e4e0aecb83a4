import type { FindSecret, SecretReference } from "../../adapter/index.ts";
import type { Json, JsonObject } from "../../core/base/index.ts";
import type { Environment } from "../environment.ts";
import { secretsInHeaders } from "../secret-lookup.ts";
import { headersOf, readMcpConfig, splitName } from "./config.ts";
import { connectServer, type McpConnection } from "./connection.ts";
import { McpFailure } from "./mcp-failure.ts";
import { answerOf } from "./tool-result.ts";

/** A tool as it is offered to a model. */
export interface McpTool {
  readonly description: string;
  readonly inputSchema: JsonObject;
  /** Rejects with what the tool complained about, for the model to read. */
  execute(args: JsonObject, signal: AbortSignal): Promise<Json>;
}

export interface McpTools {
  /** By a name every vendor takes: `server__tool`. */
  readonly tools: Readonly<Record<string, McpTool>>;
  readonly close: () => Promise<void>;
}

const MODEL_NAME_LENGTH_MAX = 64;

/**
 * Opens the named tools (`server/tool`) for one execution, with one connection per server. Rejects with an
 * McpFailure, whose `failure` is the class to report, when one of them cannot be had.
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
    const tools = new Map<string, McpTool>();
    try {
      for (const name of new Set(names)) {
        const split = splitName(name);
        if (split === undefined) throw notAName(name);
        const { server } = split;
        const connection = connections.get(server) ?? (await connectServer(config, server, env, hooks));
        connections.set(server, connection);
        const tool = await connection.findTool(split.tool);
        tools.set(freeName(name, tools), {
          description: tool.description ?? "",
          inputSchema: tool.inputSchema as JsonObject,
          execute: async (args, callSignal) => answerOf(await connection.call(tool, args, callSignal), name, server),
        });
      }
    } catch (error) {
      await close();
      throw error;
    }
    return { tools: Object.fromEntries(tools), close };
  };
}

/** The secrets that the servers of the section name. */
export function mcpSecrets(section: JsonObject): readonly SecretReference[] {
  return secretsInHeaders(headersOf(readMcpConfig(section)));
}

function notAName(name: string): McpFailure {
  return new McpFailure(
    "provider_refused",
    `unknown_tool: ${JSON.stringify(name.slice(0, 100))} names no tool; tools are written "server/tool".`,
  );
}

/** Vendors take letters, digits, _ and -, and no name twice. */
function freeName(name: string, taken: ReadonlyMap<string, unknown>): string {
  const plain = name.replace("/", "__").replaceAll(/[^A-Za-z0-9_-]/g, "_");
  let free = plain.slice(0, MODEL_NAME_LENGTH_MAX);
  for (let count = 2; taken.has(free); count += 1) {
    const mark = `_${String(count)}`;
    free = plain.slice(0, MODEL_NAME_LENGTH_MAX - mark.length) + mark;
  }
  return free;
}
