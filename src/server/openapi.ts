import { z } from "zod";
import { problemSchema } from "../contract/index.ts";
import { compareCodeUnits, isJsonObject, type Json, type JsonObject } from "../core/base/index.ts";
import { API_PROBLEMS } from "./problem.ts";
import type { Route } from "./route.ts";

const BEARER = "A key (slk_…), or a token (JWT) of the issuer this server trusts";

/** Builds the OpenAPI 3.1 document from the table and schemas by which requests are checked. */
export function openApiDocument(routes: readonly Route[], publicUrl: string | null): JsonObject {
  const paths = new Map<string, [string, JsonObject][]>();
  for (const route of routes) {
    const methods = paths.get(route.path) ?? [];
    methods.push([route.method.toLowerCase(), operationOf(route)]);
    paths.set(route.path, methods);
  }
  return {
    openapi: "3.1.0",
    info: {
      title: "Sluice",
      version: "1",
      description: "Runs AI-agent workflows as durable graphs in which every node passes the gates before it may act.",
      contact: { name: "Sluice" },
      license: { name: "Apache-2.0", identifier: "Apache-2.0" },
    },
    // Without a public URL, the server is the one that returned this document.
    servers: [{ url: publicUrl ?? "/" }],
    tags: [...new Set(routes.map(tagOf))]
      .sort(compareCodeUnits)
      .map((name) => ({ name, description: TAGS[name] ?? name })),
    security: [{ key: [] }, { session: [] }],
    paths: Object.fromEntries([...paths].map(([path, methods]) => [path, Object.fromEntries(methods)])),
    components: {
      securitySchemes: {
        key: { type: "http", scheme: "bearer", description: BEARER },
        session: { type: "apiKey", in: "cookie", name: "sluice_session", description: SESSION },
      },
      parameters: { Organisation: ORGANISATION, CsrfToken: CSRF_TOKEN },
      schemas: { Problem: schemaOf(problemSchema, "output") },
      responses: {
        Problem: {
          description: "A problem, identified by its code",
          content: { "application/problem+json": { schema: { $ref: "#/components/schemas/Problem" } } },
        },
      },
    },
  };
}

function operationOf(route: Route): JsonObject {
  const { operation, summary, permission, body, content, query, replies } = route;
  return {
    operationId: operation,
    summary,
    description: permission === null ? "Needs no particular permission." : `Needs the permission \`${permission}\`.`,
    tags: [tagOf(route)],
    parameters: [
      ...pathParameters(route.path),
      ...queryParameters(query),
      ...headerParameters(route),
      { $ref: "#/components/parameters/Organisation" },
      ...(route.method === "GET" ? [] : [{ $ref: "#/components/parameters/CsrfToken" }]),
    ],
    ...(body === null ? {} : { requestBody: requestBodyOf(body) }),
    ...(content === null ? {} : { requestBody: { required: true, content: { [content]: BYTES } } }),
    responses: {
      ...Object.fromEntries(Object.entries(replies).map(([status, reply]) => [status, replyOf(reply)])),
      "4XX": PROBLEM,
      default: PROBLEM,
    },
  };
}

const SESSION =
  "Session cookie of a signed-in browser. With https its name is `__Host-sluice_session`. Requests other than GET must come " +
  "from the server's own pages and have the header X-Sluice-CSRF.";

/** The header that any request may have besides the parameters of its route. */
const ORGANISATION = {
  name: "X-Sluice-Organisation",
  in: "header",
  required: false,
  description:
    "Organisation of the request. A key belongs to one organisation and needs no header; the person of a session may be a member of several",
  schema: { type: "string" },
};
const CSRF_TOKEN = {
  name: "X-Sluice-CSRF",
  in: "header",
  required: false,
  description: "`csrfToken` of GET /session. Required with a session cookie, never with a key",
  schema: { type: "string" },
};

/** Descriptions of the operations by tag. */
const TAGS: Readonly<Record<string, string>> = {
  agents: "Agents, and their memories",
  alerts: "Watched values, and recipients of alerts",
  apply: "Configuration as code",
  approvals: "Approvals by people",
  audit: "The audit log",
  bindings: "Agents for roles",
  blobs: "Large values, by their hash",
  budgets: "Limits of spending",
  deployments: "Gateways for workflows and agents",
  files: "Files, uploaded in parts and stored by the hash of their content",
  gateways: "Registered Bridges",
  hooks: "Signed messages that start runs",
  keys: "Keys of people and programs",
  lenses: "Versioned prompt templates of lens graphs",
  library: "Steps that workflows share",
  live: "Stream of the changes of an organisation",
  models: "Models and their prices",
  platform: "The kill switch",
  policies: "Rules that block, hold or warn",
  runs: "Runs: their start, state, events and history",
  schedules: "Runs started by the clock",
  session: "The caller",
  simulate: "Simulations of workflows",
  teams: "Teams of agents",
  triggers: "Times, messages, events and forms that start runs",
  usage: "Tokens, cost and counts",
  validate: "Checks of definitions",
  webhooks: "Signed messages to others, and their deliveries",
  workflows: "Definitions and their versions",
};

const BYTES = { schema: { type: "string", format: "binary" } };
const PROBLEM = { $ref: "#/components/responses/Problem" };

function tagOf({ operation }: Route): string {
  return operation.split(".")[0] ?? operation;
}

function pathParameters(path: string): readonly JsonObject[] {
  return [...path.matchAll(/\{(\w+)\}/g)].map(([, name = ""]) => ({
    name,
    in: "path",
    required: true,
    description: name.endsWith("Id") ? `Id of the ${name.slice(0, -2)}` : `The ${name} of the requested object`,
    schema: { type: "string" },
  }));
}

function queryParameters(query: z.ZodType | null): readonly JsonObject[] {
  if (query === null) return [];
  const { properties = {} } = schemaOf(query, "output");
  return Object.entries(properties as JsonObject).map(([name, schema]) => ({
    name,
    in: "query",
    required: false,
    description: descriptionOf(schema) ?? `Only those with this ${name}`,
    schema,
  }));
}

function descriptionOf(schema: Json | undefined): string | undefined {
  const description = isJsonObject(schema) ? schema["description"] : undefined;
  return typeof description === "string" ? description : undefined;
}

const STARTING: ReadonlySet<string> = new Set(["runs.create", "runs.restart", "runs.branch"]);

function headerParameters({ operation }: Route): readonly JsonObject[] {
  if (!STARTING.has(operation)) return [];
  const schema = { type: "string", maxLength: 255 };
  const description = "Another request with the same key returns the same run, for a day";
  return [{ name: "Idempotency-Key", in: "header", required: false, description, schema }];
}

function requestBodyOf({ schema, types, isOptional }: NonNullable<Route["body"]>): JsonObject {
  const content = types.map((type): [string, JsonObject] => [
    type,
    { schema: type.endsWith("json") ? schemaOf(schema, "input") : { type: "string" } },
  ]);
  return { required: !isOptional, content: Object.fromEntries(content) };
}

function replyOf({ description, schema, type }: Route["replies"][number]): JsonObject {
  if (schema === null && type === undefined) return { description };
  const media = schema === null ? { schema: { type: "string" } } : { schema: schemaOf(schema, "output") };
  return { description, content: { [type ?? "application/json"]: media } };
}

function schemaOf(schema: z.ZodType, io: "input" | "output"): JsonObject {
  const { $schema: _dialect, ...rest } = z.toJSONSchema(schema, { io, reused: "inline", unrepresentable: "any" });
  return rest as JsonObject;
}

/** Returns the problem codes with their status and title. */
export function problemTable(): readonly { readonly code: string; readonly status: number; readonly title: string }[] {
  return Object.entries(API_PROBLEMS).map(([code, [status, title]]) => ({ code, status, title }));
}
