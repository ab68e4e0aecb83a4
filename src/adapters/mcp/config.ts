import { z } from "zod";
import { isSecretReference, type JsonObject, secretNameOf } from "../../core/base/index.ts";
import { readConfigSection } from "../config-section.ts";

export const MCP_PROVIDER = "mcp";

const SERVER_NAME = /^[A-Za-z0-9][A-Za-z0-9_.-]{0,63}$/;
const ENV_NAME = /^[A-Za-z_][A-Za-z0-9_]{0,127}$/;
const HEADER_NAME = /^[A-Za-z0-9!#$%&'*+.^_`|~-]{1,128}$/;
const HEADER_VALUE = /^[\t\x20-\x7e]{0,8192}$/;
const DIGEST = /^(?:sha256:)?([0-9a-f]{64})$/;

/** Environment variables that can make a process run foreign code. */
const UNSAFE_ENV =
  /^(?:NODE_OPTIONS|NODE_PATH|LD_.*|DYLD_.*|PYTHON.*|GIT_.*|npm_config_.*|BASH_ENV|ENV|PERL5.*|RUBYOPT|JAVA_TOOL_OPTIONS|PATH)$/i;

const httpServer = z.strictObject({
  url: z
    .url({ protocol: /^https?$/, error: "must be an http or https address" })
    .refine((url) => !/^https?:\/\/[^/?#]*@/i.test(url), "must not carry a user name or a password; use headers"),
  headers: z
    .record(
      z.string().regex(HEADER_NAME, "is not a header name"),
      z
        .string()
        .regex(HEADER_VALUE, "must be one line of printable ASCII")
        .refine(
          (value) => !isSecretReference(value) || secretNameOf(value) !== null,
          "must be secret:// and the name of a secret",
        ),
    )
    .optional(),
});

const stdioServer = z.strictObject({
  command: z.string().min(1),
  args: z.array(z.string()).max(100).optional(),
  env: z
    .array(
      z
        .string()
        .regex(ENV_NAME, "must be the name of an environment variable")
        .refine((name) => !UNSAFE_ENV.test(name), "can change what the command runs and is not handed on"),
    )
    .max(100)
    .optional(),
});

/** The `url` field selects the schema, so that a mistake is reported for the intended kind of server. */
const server = z.looseObject({}).transform((given, context): McpServer => {
  const parsed = (Object.hasOwn(given, "url") ? httpServer : stdioServer).safeParse(given);
  if (parsed.success) return parsed.data;
  for (const { path, message } of parsed.error.issues) context.addIssue({ code: "custom", path, message });
  return z.NEVER;
});

export const configSchema = z
  .strictObject({
    servers: z.record(z.string(), server).optional(),
    pins: z.record(z.string(), z.string().regex(DIGEST, "must be a sha256 in hex")).optional(),
  })
  .superRefine(({ servers = {}, pins = {} }, context) => {
    for (const name of Object.keys(servers)) {
      if (SERVER_NAME.test(name)) continue;
      const message = "must be named by letters, digits, _ . and -, a letter or digit first, at most 64";
      context.addIssue({ code: "custom", path: ["servers", name], message });
    }
    for (const name of Object.keys(pins)) {
      const server = splitName(name)?.server;
      if (server !== undefined && Object.hasOwn(servers, server)) continue;
      const message = 'must be "server/tool" of a configured server';
      context.addIssue({ code: "custom", path: ["pins", name], message });
    }
  });

export type HttpServer = z.infer<typeof httpServer>;
export type StdioServer = z.infer<typeof stdioServer>;
export type McpServer = HttpServer | StdioServer;

/** The configured servers. Only the operator defines servers: a definition can name one but never add one. */
export interface McpConfig {
  readonly servers: ReadonlyMap<string, McpServer>;
  /** Digest of each pinned tool at the time when a person reviewed it, by `server/tool`. */
  readonly pins: ReadonlyMap<string, string>;
}

export interface ToolName {
  readonly server: string;
  readonly tool: string;
}

/** Checks the section of the configuration. Throws an error that lists every mistake with its place. */
export function readMcpConfig(section: JsonObject): McpConfig {
  const { servers = {}, pins = {} } = readConfigSection(configSchema, section, MCP_PROVIDER);
  return {
    servers: new Map(Object.entries(servers)),
    pins: new Map(Object.entries(pins).map(([name, digest]) => [name, digest.replace(DIGEST, "sha256:$1")])),
  };
}

/** Splits `server/tool`. The name of the tool may contain further slashes. */
export function splitName(name: string): ToolName | undefined {
  const slash = name.indexOf("/");
  if (slash < 1 || slash === name.length - 1) return undefined;
  return { server: name.slice(0, slash), tool: name.slice(slash + 1) };
}

/** Returns the headers of each server that uses HTTP. */
export function headersOf({ servers }: McpConfig): readonly (readonly [string, Readonly<Record<string, string>>])[] {
  return [...servers].flatMap(([name, server]) => ("url" in server ? [[name, server.headers ?? {}] as const] : []));
}
