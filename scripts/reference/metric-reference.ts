import { readFileSync } from "node:fs";
import { join } from "node:path";

const KINDS: Readonly<Record<string, string>> = {
  count: "counter",
  total: "counter",
  gauge: "gauge",
  observe: "histogram",
};

const CALL = /\b#?(count|observe|total|gauge)\(\s*"(sluice_\w+)",\s*(?:"([^"]+)"|(\w+))/g;

/** The page docs/reference/metrics.md, from every place where the server makes a series. */
export function renderMetricReference(root: string): string {
  const source = readFileSync(join(root, "src/server/metrics.ts"), "utf8");
  const rows = new Map<string, string>();
  for (const match of source.matchAll(CALL)) {
    const [, kind = "", name = "", text, variable = ""] = match;
    const help = text ?? helpBefore(source, match.index, variable);
    rows.set(name, `| \`${name}\` | ${KINDS[kind] ?? ""} | ${help} |`);
  }
  const sorted = [...rows].sort(([left], [right]) => (left < right ? -1 : 1)).map(([, row]) => row);
  return `${HEAD}\n\n| Name | Type | Meaning |\n|---|---|---|\n${sorted.join("\n")}\n`;
}

const HEAD = `# Metrics

Written by \`npm run docs\` from \`src/server/metrics.ts\`; do not edit. [Observability](../observability.md) lists the labels and
suggests alerts.`;

function helpBefore(source: string, at: number, variable: string): string {
  const all = [...source.slice(0, at).matchAll(new RegExp(`const ${variable} =\\s*"([^"]+)"`, "g"))];
  const found = all.at(-1)?.[1];
  if (found === undefined) throw new Error(`src/server/metrics.ts: the text of ${variable} was not found`);
  return found;
}
