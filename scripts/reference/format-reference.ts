import { jsonSchema } from "../../src/core/definition/index.ts";
import { LIMITS } from "../../src/core/base/index.ts";
import { fieldTable, type Shape, titledIn } from "./schema-table.ts";

const FORMATS = [
  ["lobsterx", "`.lobsterX`"],
  ["lens-graph", "Lens graph"],
] as const;

/** The page docs/reference/formats.md. */
export function renderFormatReference(): string {
  const sections = FORMATS.map(([format, title]) => {
    const schema = jsonSchema(format) as Shape;
    const inside = [...titledIn(schema)].map(
      ([name, shape]) => `### ${upper(name)}${format === "lens-graph" ? " (lens graph)" : ""}\n\n${fieldTable(shape)}`,
    );
    const text = `## ${title}\n\n${fieldTable(schema)}\n\n${inside.join("\n\n")}`;
    return format === "lens-graph" ? text.replaceAll(/\]\(#([\w-]+)\)/g, "](#$1-lens-graph)") : text;
  });
  return `${HEAD}\n\n${sections.join("\n\n")}\n\n${limits()}\n`;
}

const HEAD = `# Fields of workflow files

Written by \`npm run docs\` from \`src/core/definition\`; do not edit. \`.lobsterX\` is the file extension of the format with steps;
the content is plain YAML or JSON, and \`.yaml\`, \`.yml\` and \`.json\` work too. A lens graph is any such file whose \`format\` is
\`lens-graph/v1\`.

A \`*\` marks required fields. \`sluice schema lobsterx\` and \`sluice schema lens-graph\` print the same as JSON Schema, for editors.
[Workflows](../workflows.md) and [lens graphs](../lens-graphs.md) show the formats by example. Keys of \`config\` and \`retry\` may be
written in camelCase too, and \`condition\` as \`when\`.`;

function upper(text: string): string {
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}`;
}

function limits(): string {
  const rows = Object.entries(LIMITS).map(([name, value]) => `| \`${name}\` | ${value.toLocaleString("en-US")} |`);
  return `## Limits\n\nFrom \`src/core/base/limits.ts\`.\n\n| Limit | Value |\n|---|---|\n${rows.join("\n")}`;
}
