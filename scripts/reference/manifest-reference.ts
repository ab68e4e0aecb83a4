import { z } from "zod";
import { jsonSchema } from "../../src/core/definition/index.ts";
import { MANIFEST_KINDS, type ManifestKind, specSchema } from "../../src/registry/index.ts";
import { fieldTable, type Shape } from "./schema-table.ts";

/** What each kind is for; a kind without a line here does not compile. */
const MEANINGS: Readonly<Record<ManifestKind, string>> = {
  Agent: "The actor that nodes run as: trust, limits, budget. See [governance](../governance.md).",
  Gateway: "A Bridge that did not register itself. See [gateways](../gateways.md).",
  Deployment:
    "Where a workflow or an agent runs, and which agents take its roles there. See [gateways](../gateways.md).",
  Budget: "A ceiling for a scope and a period. See [budgets](../budgets.md).",
  Policy: "A rule that blocks, asks, warns or records. See [governance](../governance.md).",
  Lens: "A versioned prompt template with contracts. See [lens graphs](../lens-graphs.md).",
  Team: "Agents that share the nodes of a run. See [teams](../teams.md).",
  LibraryStep: "A step that workflows reuse by name. See [workflows](../workflows.md).",
  Schedule: "Starts runs at given times. See [schedules](../schedules.md).",
  Webhook: "Sends events to an address. See [webhooks](../webhooks.md).",
  Channel: "A way to people: mail, Slack, Teams. See [channels](../channels.md).",
  Model: "The price of a model that the bundled price list does not have. See [budgets](../budgets.md).",
  Retention:
    "How long runs, verdicts and transcripts are kept, for one workflow or for all. See [retention](../retention.md).",
  CreditPlan: "The price of completed work in credits. See [budgets](../budgets.md).",
  Workflow: "A workflow and how it may be launched. See [workflows](../workflows.md).",
  Alert: "Sends a message when a limit is passed. See [webhooks](../webhooks.md).",
  Trigger: "Starts runs at given times, on messages, on events or from a form. See [triggers](../triggers.md).",
  Tool: "What calls of tools are, and what they need. See [tools](../tools.md).",
  Function: "Code that workers run as a step. See [workers](../workers.md).",
  Grant: "Calls of a tool that need no further approval. See [tools](../tools.md#grants).",
  Secret: "A value that is sealed, or kept elsewhere, and who gets it. See [secrets](../secrets.md).",
  RoleBinding: "Which agent takes a role, in all workflows or in one. See [teams](../teams.md).",
};

/** Objects inside a spec whose fields get their own table. */
const INSIDE: Partial<Record<ManifestKind, readonly string[]>> = {
  Team: ["members", "assignments"],
};

/** The page docs/reference/manifests.md. */
export function renderManifestReference(): string {
  const kinds = Object.keys(MANIFEST_KINDS) as ManifestKind[];
  return `${HEAD}\n\n${kinds.map(renderKind).join("\n\n")}\n`;
}

const HEAD = `# Manifests

Written by \`npm run docs\` from \`src/registry\`; do not edit. A \`*\` marks required fields.

A manifest is a YAML document with \`kind\`, \`name\` and \`spec\`. \`sluice apply -f FILE\` takes files and folders with any
number of them, separated by \`---\`; either all of them are applied or none. The API has each at the address shown, and a
list at the collection: [routes](api.md).`;

function renderKind(kind: ManifestKind): string {
  const shape = shapeOf(kind);
  const inside = (INSIDE[kind] ?? []).map((field) => {
    const items = shape.properties?.[field]?.items ?? {};
    return `Each of \`${field}\`:\n\n${fieldTable(items)}`;
  });
  const address = `\`/api/v1/${MANIFEST_KINDS[kind].collection}/{name}\``;
  return [`## ${kind}`, `${MEANINGS[kind]} At ${address}.`, fieldTable(shape), ...inside].join("\n\n");
}

function shapeOf(kind: ManifestKind): Shape {
  // A library step is a step without its id; the schema of the registry leaves its checks to those of steps.
  if (kind === "LibraryStep") {
    const { id: _, ...fields } = (jsonSchema("lobsterx") as Shape).properties?.["steps"]?.items?.properties ?? {};
    const plain = Object.entries(fields).map(([name, field]): [string, Shape] => [name, withoutTitles(field)]);
    return { properties: Object.fromEntries(plain) };
  }
  return z.toJSONSchema(specSchema(kind), { io: "input", unrepresentable: "any" }) as Shape;
}

/** Their tables stand on the page of the formats. */
function withoutTitles(shape: Shape): Shape {
  const { title: _, ...rest } = shape;
  return {
    ...rest,
    ...(shape.anyOf === undefined ? {} : { anyOf: shape.anyOf.map(withoutTitles) }),
    ...(shape.items === undefined ? {} : { items: withoutTitles(shape.items) }),
    ...(typeof shape.additionalProperties === "object"
      ? { additionalProperties: withoutTitles(shape.additionalProperties) }
      : {}),
  };
}
