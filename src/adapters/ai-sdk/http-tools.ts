import type { SecretReference } from "../../adapter/index.ts";
import { getOwn, isJsonObject, type Json, type JsonObject, jsonToText, matchesGlob } from "../../core/base/index.ts";
import { createAllowList, fetchGuarded } from "../../outbound/index.ts";
import type { Environment } from "../environment.ts";
import { hostAndPort } from "../http/call.ts";
import { fillHeaders } from "../http/secret-header.ts";
import { type SecretLookup, secretLookup, secretsInHeaders } from "../secret-lookup.ts";
import type { HttpTool } from "./config.ts";
import type { ModelTool, OpenTools, ToolOpener } from "./model-tools.ts";

const TIMEOUT_MS = 30_000;
/** Maximum length of a failed response that is passed to the model. */
const EXCERPT_LENGTH_MAX = 2_000;

/** Creates a tool that calls an HTTP address. The operator sets the address; the model sets only the args. */
export function httpTool(
  { description, url, method = "POST", args, headers = {}, timeout_ms }: HttpTool,
  find: SecretLookup,
): ModelTool {
  return {
    ...(description === undefined ? {} : { description }),
    inputSchema: args ?? { type: "object" },
    async execute(given, signal, callId) {
      const filled = fillHeaders(headers, find);
      if (!filled.ok) throw new Error(filled.failure);
      const hasBody = method !== "GET" && method !== "HEAD" && method !== "DELETE";
      const address = hasBody ? url : withQuery(url, given);
      const allow = createAllowList([hostAndPort(url)]);
      if (!allow.ok) throw new Error(allow.failure);
      const reply = await fetchGuarded(address, {
        method,
        headers: {
          accept: "application/json, text/plain;q=0.9, */*;q=0.5",
          ...(hasBody ? { "content-type": "application/json" } : {}),
          ...Object.fromEntries(
            Object.entries(filled.value.headers).map(([name, value]) => [name.toLowerCase(), value]),
          ),
          "idempotency-key": callId.replaceAll(/[^\x20-\x7e]/g, "?"),
        },
        ...(hasBody ? { body: JSON.stringify(given) } : {}),
        timeoutMs: timeout_ms ?? TIMEOUT_MS,
        allow: allow.value,
        isListOnly: true,
        signal,
      });
      if (!reply.ok) throw new Error(reply.message);
      const text = filled.value.redactor.text(reply.text);
      if (reply.status < 200 || reply.status > 299) {
        throw new Error(`It answered with status ${reply.status}: ${text.trim().slice(0, EXCERPT_LENGTH_MAX)}`);
      }
      return readAnswer(text);
    },
  };
}

/** Opens HTTP tools by their names, and passes all other names to `rest`. */
export function withHttpTools(
  http: Readonly<Record<string, HttpTool>> | undefined,
  rest: ToolOpener | undefined,
  env: Environment,
): ToolOpener | undefined {
  if (http === undefined) return rest;
  return async (names, signal, secret) => {
    const own = Object.entries(http).filter(([name]) => names.some((pattern) => matchesGlob(pattern, name)));
    // A pattern may match tools of both kinds.
    const others = names.filter(
      (name) => getOwn(http, name) === undefined && (rest !== undefined || !name.includes("*")),
    );
    if (others.length > 0 && rest === undefined) throw unknownTools(others, Object.keys(http));
    const opened: OpenTools =
      others.length === 0 || rest === undefined ? NOTHING_OPEN : await rest(others, signal, secret);
    const tools = Object.fromEntries(
      own.map(([name, tool]) => [name, httpTool(tool, secretLookup(env, secret, name))]),
    );
    return { tools: { ...tools, ...opened.tools }, close: () => opened.close() };
  };
}

/** Returns the secrets that the headers of the tools name. */
export function httpToolSecrets(http: Readonly<Record<string, HttpTool>> = {}): readonly SecretReference[] {
  return secretsInHeaders(Object.entries(http).map(([name, { headers = {} }]) => [name, headers] as const));
}

export const NOTHING_OPEN: OpenTools = { tools: {}, close: () => Promise.resolve() };

function unknownTools(names: readonly string[], known: readonly string[]): Error {
  const message = `There is no tool ${names.join(", ")} and no MCP server; there is: ${known.join(", ")}.`;
  return Object.assign(new Error(message), { failure: "provider_refused" });
}

/** Adds the args as a query, for methods without a body. */
function withQuery(url: string, args: JsonObject): string {
  const address = new URL(url);
  for (const [name, value] of Object.entries(args)) address.searchParams.set(name, jsonToText(value));
  return address.href;
}

function readAnswer(text: string): Json {
  try {
    const value = JSON.parse(text) as Json;
    return isJsonObject(value) || Array.isArray(value) ? value : text;
  } catch {
    return text;
  }
}
