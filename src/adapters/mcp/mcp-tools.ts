import type { Tool } from "@modelcontextprotocol/client";
import type { Json, JsonObject } from "../../core/base/index.ts";
import type { Environment } from "../environment.ts";
import { readMcpConfig, splitName } from "./config.ts";
import { connectServer, type McpConnection } from "./connection.ts";
import { McpFailure } from "./mcp-failure.ts";
import { answerOf } from "./tool-result.ts";

/** A tool as it is offered to a model. */
export interface McpTool {
  readonly description: string;
  readonly inputSchema: JsonObject;
  readonly tool: string;
  readonly server: string;
  /** What the server says of it, which is true only where the server is trusted. */
  readonly hints: { readOnly?: boolean; destructive?: boolean };
  /** Rejects with what the tool complained about, for the model to read. `callId` goes along in `_meta`. */
  execute(args: JsonObject, signal: AbortSignal, callId: string): Promise<Json>;
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
): (names: readonly string[], signal: AbortSignal) => Promise<McpTools> {
  const config = readMcpConfig(section);
  return async (names, signal) => {
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
        const connection = connections.get(server) ?? (await connectServer(config, server, env, signal));
        connections.set(server, connection);
        const tool = await connection.findTool(split.tool);
        tools.set(freeName(name, tools), {
          description: tool.description ?? "",
          inputSchema: tool.inputSchema as JsonObject,
          tool: split.tool,
          server,
          hints: hintsOf(tool),
          execute: async (args, callSignal, callId) =>
            answerOf(await connection.call(tool, args, callSignal, callId), name, server),
        });
      }
    } catch (error) {
      await close();
      throw error;
    }
    return { tools: Object.fromEntries(tools), close };
  };
}

function hintsOf({ annotations }: Tool): McpTool["hints"] {
  const { readOnlyHint, destructiveHint } = annotations ?? {};
  return {
    ...(typeof readOnlyHint === "boolean" ? { readOnly: readOnlyHint } : {}),
    ...(typeof destructiveHint === "boolean" ? { destructive: destructiveHint } : {}),
  };
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
