import { z } from "zod";
import { MANIFEST_KINDS } from "../../src/registry/index.ts";
import { API_PROBLEMS } from "../../src/server/problem.ts";
import { PERMISSIONS, permissionsOf, ROLES, ROUTES } from "../../src/server/index.ts";
import type { Route } from "../../src/server/route.ts";
import { type Shape, typeOf } from "./schema-table.ts";

/** The page docs/reference/api.md. */
export function renderApiReference(): string {
  const groups = new Map<string, Route[]>();
  for (const route of ROUTES) {
    const [group = ""] = route.operation.split(".");
    groups.set(group, [...(groups.get(group) ?? []), route]);
  }
  const sections = [...groups].map(([group, routes]) => `### ${group}\n\n${routes.map(renderRoute).join("\n\n")}`);
  return [HEAD, permissionTable(), `## Routes\n\n${sections.join("\n\n")}`, problemTable()].join("\n\n") + "\n";
}

const HEAD = `# HTTP API

Written by \`npm run docs\` from the tables that the server itself uses for routing, checks and answers; do not edit. Every server
has the same as OpenAPI 3.1 at \`/openapi.json\`, and as a page at \`/docs\`.

Send a key as \`Authorization: Bearer slk_…\`, or in the same way a token of the
[issuer the server trusts](../operations.md#tokens-of-your-identity-provider). Bodies are JSON in camelCase, UTF-8. Lists take
\`limit\` (1 to 100, default: 25) and \`cursor\`, and answer \`{data, nextCursor?}\`. Objects of another organisation do not exist
(404). Starting, restarting and branching accept an \`Idempotency-Key\`: the same request with the same key returns the same run,
for a day.

Without a key: \`GET /healthz\` (alive), \`GET /readyz\` (database reachable, schema current), \`GET /metrics\`,
\`POST /api/v1/hooks/{workflow}\` (signed), \`POST /api/v1/callbacks/{token}\` (one attempt's address). With a Bridge's token:
\`POST /api/workflow/step-complete\`, \`step-complete/batch\`, \`step-stream\`.`;

function permissionTable(): string {
  const rows = PERMISSIONS.map((permission) => {
    const roles = ROLES.filter((role) => permissionsOf(role).includes(permission));
    return `| \`${permission}\` | ${roles.join(", ")} |`;
  });
  return `## Permissions\n\n| Permission | Roles that have it |\n|---|---|\n${rows.join("\n")}`;
}

function renderRoute(route: Route): string {
  const { method, path, summary, permission, query, body, replies } = route;
  const answers = Object.entries(replies).map(([status, reply]) => `${status} ${reply.description}`);
  const lines = [
    `${sentence(summary)} Needs ${permission === null ? "any key" : `\`${permission}\``}.`,
    query === null ? "" : `Query: ${fieldsOf(query, "input")}.`,
    body === null ? "" : `Body (${body.types.map((type) => `\`${type}\``).join(", ")}): ${bodyOf(route, body.schema)}.`,
    `Answers: ${answers.join("; ")}.`,
  ];
  return `#### \`${method} ${path}\`\n\n${lines.filter((line) => line !== "").join("\n")}`;
}

function sentence(text: string): string {
  return text.endsWith(".") ? text : `${text}.`;
}

/** The bodies of registry routes are documented on the page of the manifests. */
function bodyOf({ method, path }: Route, schema: z.ZodType): string {
  const collection = /^\/api\/v1\/(\w+)\/\{\w+\}$/.exec(path)?.[1];
  const registered = Object.entries(MANIFEST_KINDS).find(([, { collection: own }]) => own === collection);
  if (method !== "PUT" || registered === undefined || registered[0] === "Workflow") return fieldsOf(schema, "input");
  return `the spec of [${registered[0]}](manifests.md#${registered[0].toLowerCase()})`;
}

function fieldsOf(schema: z.ZodType, io: "input" | "output"): string {
  const shape = z.toJSONSchema(schema, { io, unrepresentable: "any" }) as Shape;
  const forms = shape.anyOf ?? [shape];
  return forms.map(formOf).join("; or ");
}

function formOf(shape: Shape): string {
  const fields = Object.entries(shape.properties ?? {});
  if (fields.length === 0) return typeOf(shape);
  return fields
    .map(([name, field]) => `\`${name}\`${shape.required?.includes(name) === true ? "" : "?"} ${typeOf(field)}`)
    .join("; ");
}

function problemTable(): string {
  const rows = Object.entries(API_PROBLEMS).map(([code, [status, title]]) => `| ${status} | \`${code}\` | ${title} |`);
  return `## Problems

Refusals are \`application/problem+json\` (RFC 9457): \`{type, title, status, code, detail, problems?, requestId}\`. \`problems\`
lists the problems of the request, with the codes of [the checker](../problem-codes.md). If a gate refused, the answer
has its explanation with \`unblock\`.

| Status | Code | Title |
|---|---|---|
${rows.join("\n")}`;
}
