/** Nodes that are a tool call themselves: MCP tool, HTTP service or program. One verdict covers both node and call. */
import { getOwn, isJsonArray, isJsonObject, type Json, type JsonObject, jsonToText } from "../base/index.ts";

/** The tool call of a node, under the names that manifests and policies use. */
export interface NodeCall {
  /** `server/tool` for MCP; the target or the host for a service; the name of a program. */
  readonly name: string;
  readonly server: string | null;
  readonly args: JsonObject;
}

/** The parts of a dispatch from which its tool call is derived. */
export interface CallingNode {
  readonly provider: string | null;
  /** The model that the step names. Null when it names none. */
  readonly ownModel: string | null;
  /** The model of the step, else the default that replaces it. */
  readonly model: string | null;
  readonly message: string;
  readonly stdin: string | null;
  readonly inputs: JsonObject;
}

/** Returns the tool call of a node. Null when its adapter is none of these three. The adapters parse the same request in the same way. */
export function nodeCallOf(node: CallingNode): NodeCall | null {
  switch (node.provider) {
    case "mcp":
      return mcpCall(node);
    case "http":
      return httpCall(node);
    case "process":
      return processCall(node);
    default:
      return null;
  }
}

function mcpCall({ inputs, model, message, stdin }: CallingNode): NodeCall {
  const named = getOwn(inputs, "tool");
  const name = named === undefined ? (model ?? firstWord(message)) : jsonToText(named);
  const slash = name.indexOf("/");
  return { name, server: slash < 1 ? null : name.slice(0, slash), args: mcpArgs(inputs, stdin) };
}

function mcpArgs(inputs: JsonObject, stdin: string | null): JsonObject {
  const given = getOwn(inputs, "arguments");
  if (isJsonObject(given)) return given;
  const others = without(inputs, ["tool"]);
  if (Object.keys(others).length > 0) return others;
  const read = stdin === null ? null : parsed(stdin);
  return isJsonObject(read) ? read : {};
}

/** The target in a command, beside or in place of inputs: `POST billing`, `https://…`. */
const PLACE = /^(?:(GET|HEAD|POST|PUT|PATCH|DELETE)\s+)?(\S+)$/;
const ADDRESS = /^https?:\/\//i;

function httpCall({ inputs, ownModel, message, stdin }: CallingNode): NodeCall {
  const [, method, written] = PLACE.exec(message.trim()) ?? [];
  const target = getOwn(inputs, "target") ?? null;
  const url = getOwn(inputs, "url");
  const place = target ?? (typeof url === "string" ? url : (ownModel ?? written ?? ""));
  const isAddress = target === null && ADDRESS.test(jsonToText(place));
  const asked = getOwn(inputs, "method") ?? method;
  const body = getOwn(inputs, "body") ?? stdin;
  const rest = without(inputs, ["target", "url", "method", "body"]);
  return {
    name: isAddress ? hostOf(jsonToText(place)) : jsonToText(place),
    server: null,
    args: {
      ...(asked === undefined ? {} : { method: asked }),
      ...(isAddress ? { url: place } : { target: place }),
      ...(body === null ? {} : { body }),
      ...(Object.keys(rest).length === 0 ? {} : { inputs: rest }),
    },
  };
}

/**
 * Returns the host of an address. A call is named by its host, so that one name covers all paths of it. The adapter refuses an
 * address
 * whose host is written so that it would be parsed differently here.
 */
export function hostOf(address: string): string {
  const [scheme = "", rest = ""] = address.split("://", 2);
  const host = (rest.split(/[/?#\\]/, 1)[0] ?? "").toLowerCase();
  return host.replace(scheme.toLowerCase() === "https" ? /:443$/ : /:80$/, "").replace(/\.(?=$|:)/, "");
}

function processCall({ inputs, message, stdin }: CallingNode): NodeCall {
  const given = getOwn(inputs, "command") ?? null;
  const [first = "", ...words] = message.split(/\s+/).filter((word) => word !== "");
  const list = given === null ? words : (getOwn(inputs, "args") ?? []);
  const text = stdin ?? (given === null ? null : message);
  const rest = without(inputs, ["command", "args"]);
  return {
    name: given === null ? first : jsonToText(given),
    server: null,
    args: {
      args: isJsonArray(list) ? [...list] : list,
      ...(text === null ? {} : { stdin: text }),
      ...(Object.keys(rest).length === 0 ? {} : { inputs: rest }),
    },
  };
}

function firstWord(text: string): string {
  return text.trim().split(/\s/, 1)[0] ?? "";
}

function without(inputs: JsonObject, names: readonly string[]): JsonObject {
  return Object.fromEntries(Object.entries(inputs).filter(([name]) => !names.includes(name)));
}

function parsed(text: string): Json | undefined {
  try {
    return JSON.parse(text) as Json;
  } catch {
    return undefined;
  }
}
