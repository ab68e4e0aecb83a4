import { getOwn, isJsonObject, type Json, type JsonObject } from "../../core/base/index.ts";
import type { AdapterRequest } from "../../adapter/index.ts";
import { splitName, type ToolName } from "./config.ts";
import { McpFailure } from "./mcp-failure.ts";

export interface ToolRequest extends ToolName {
  readonly arguments: JsonObject;
}

/**
 * Returns the tool and the arguments of a request. The tool is `inputs.tool`, else the model, else the first word of
 * the message. The arguments are `inputs.arguments`, else all other inputs, else the JSON in stdin.
 */
export function readToolRequest(request: AdapterRequest): ToolRequest {
  const name = nameOf(request);
  const split = splitName(name);
  if (split === undefined) {
    throw new McpFailure(
      "provider_refused",
      `unknown_tool: ${JSON.stringify(name.slice(0, 200))} names no tool; write "server/tool" as the input "tool".`,
    );
  }
  return { ...split, arguments: argumentsOf(request) };
}

function nameOf({ inputs, model, message }: AdapterRequest): string {
  const named = getOwn(inputs, "tool");
  if (typeof named === "string") return named;
  if (named !== undefined) throw new McpFailure("provider_refused", 'unknown_tool: the input "tool" must be a text.');
  return model ?? message.trim().split(/\s/, 1)[0] ?? "";
}

function argumentsOf({ inputs, stdin }: AdapterRequest): JsonObject {
  const given = getOwn(inputs, "arguments");
  if (isJsonObject(given)) return given;
  if (given !== undefined) throw refuse('the input "arguments" must be an object');
  const others = Object.entries(inputs).filter(([key]) => key !== "tool");
  if (others.length > 0) return Object.fromEntries(others);
  if (stdin === undefined || stdin.trim() === "") return {};
  const value = parse(stdin);
  if (!isJsonObject(value)) throw refuse("stdin must be a JSON object when there are no inputs");
  return value;
}

function parse(text: string): Json | undefined {
  try {
    return JSON.parse(text) as Json;
  } catch {
    return undefined;
  }
}

function refuse(why: string): McpFailure {
  return new McpFailure("provider_refused", `bad_arguments: ${why}.`);
}
