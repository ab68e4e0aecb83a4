import { z } from "zod";
import { jsonSchema } from "../../src/core/definition/index.ts";
import { MANIFEST_KINDS, type ManifestKind, specSchema } from "../../src/registry/index.ts";
import { fieldTable, type Shape } from "./schema-table.ts";

/** What each kind is for; a kind without a line here does not compile. */
const MEANINGS: Readonly<Record<ManifestKind, string>> = {
  Agent: "Whom nodes run as: trust, limits, budget. See [governance](../governance.md).",
  Gateway: "A Bridge that was not registered by itself. See [gateways](../gateways.md).",
  Deployment: "Where a workflow or an agent runs, and who takes its roles there. See [gateways](../gateways.md).",
  Budget: "A ceiling for a scope and a period. See [budgets](../budgets.md).",
  Policy: "A rule that blocks, asks, warns or records. See [governance](../governance.md).",
  Lens: "A versioned prompt template with contracts. See [lens graphs](../lens-graphs.md).",
  Team: "Agents that share the nodes of a run. See [teams](../teams.md).",
  LibraryStep: "A step that workflows take over by name. See [workflows](../workflows.md).",
  Schedule: "Starts runs by the clock. See [schedules](../schedules.md).",
  Webhook: "Who is told of events. See [webhooks](../webhooks.md).",
  Model: "What a model costs, when the bundled price list does not say. See [budgets](../budgets.md).",
  CreditPlan: "What completed work is charged in credits. See [budgets](../budgets.md).",
  Workflow: "A workflow and how it may be launched. See [workflows](../workflows.md).",
  Alert: "When somebody is to be told. See [webhooks](../webhooks.md).",
  RoleBinding: "Which agent takes a role, everywhere or in one workflow. See [teams](../teams.md).",
};

/** Objects inside a spec whose fields deserve a table of their own. */
const INSIDE: Partial<Record<ManifestKind, readonly string[]>> = {
  Team: ["members", "assignments"],
};

/** The page docs/reference/manifests.md. */
export function renderManifestReference(): string {
  const kinds = Object.keys(MANIFEST_KINDS) as ManifestKind[];
  return `${HEAD}\n\n${kinds.map(renderKind).join("\n\n")}\n`;
}

const HEAD = `# Manifests

Written by \`npm run docs\` from \`src/registry\`; do not edit. A \`*\` marks what must be there.

A manifest is a YAML document with \`kind\`, \`name\` and \`spec\`. \`sluice apply -f FILE\` takes files and folders with any
number of them, separated by \`---\`; all of a stream is applied, or nothing. The API keeps each at the address shown, with a
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
