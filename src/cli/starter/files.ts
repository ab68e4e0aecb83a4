import { posix } from "node:path";
import { jsonSchema } from "../../core/definition/index.ts";
import { GOVERNED } from "./governed.ts";
import { LENS_GRAPH } from "./lens-graph.ts";
import { MINIMAL } from "./minimal.ts";
import type { Starter } from "./starter.ts";

export const TEMPLATES = ["minimal", "governed", "lens-graph"] as const;
export type Template = (typeof TEMPLATES)[number];

const STARTERS: Readonly<Record<Template, Starter>> = {
  minimal: MINIMAL,
  governed: GOVERNED,
  "lens-graph": LENS_GRAPH,
};

export interface StarterFile {
  readonly path: string;
  readonly text: string;
}

/** Returns all files of a template, in the order in which people should read them. */
export function starterFiles(template: Template): readonly StarterFile[] {
  const starter = STARTERS[template];
  const { workflow, script, registry, format } = starter;
  const schema = `schemas/${format}.schema.json`;
  const beside = posix.relative(posix.dirname(workflow.path), schema);
  return [
    { path: "README.md", text: readme(starter) },
    { path: workflow.path, text: `# yaml-language-server: $schema=${beside}\n${workflow.text}` },
    script,
    { path: "registry/rules.yaml", text: registry },
    { path: "bridge.yaml", text: BRIDGE },
    { path: schema, text: `${JSON.stringify(jsonSchema(format), null, 2)}\n` },
    { path: ".gitignore", text: IGNORED },
  ];
}

/** Returns the first commands to type, in order. */
export function firstCommands(template: Template): readonly string[] {
  const { workflow, script, args } = STARTERS[template];
  return [
    `sluice validate ${workflow.path}`,
    `sluice simulate ${workflow.path} ${args} --script ${script.path} --registry registry`,
    `sluice run ${workflow.path} ${args} --script ${script.path} --approve all`,
    "sluice up --config bridge.yaml",
  ];
}

function readme(starter: Starter): string {
  const [validate, simulate, run, up] = firstCommands(starter.name as Template);
  return `# ${starter.name === "minimal" ? "A first workflow" : "A first project"}

${starter.about.charAt(0).toUpperCase()}${starter.about.slice(1)}. It runs without a key and costs nothing until you add one.

\`\`\`sh
${validate}
${simulate}
${run}
${up}
\`\`\`

1. \`validate\` reports every mistake with its line and how to fix it.
2. \`simulate\` shows what would be done, what would be asked, refused and spent, under the rules in \`registry/\`.
3. \`run\` does it, in this process, on the answers of the script.
4. \`up\` starts a server with everything in \`.sluice/\`. In another terminal, \`sluice apply -f registry\` registers the
   rules, and \`sluice run ${starter.workflow.path} ${starter.args}\` runs the workflow there, under them.

| File | Holds |
|---|---|
| \`${starter.workflow.path}\` | the workflow |
| \`${starter.script.path}\` | answers for trying it out |
| \`registry/rules.yaml\` | the agents, the budget and the policy |
| \`bridge.yaml\` | which models, tools and services may be reached |
| \`schemas/\` | what editors need to complete and check the workflow (\`sluice schema ${starter.format}\`) |
`;
}

const BRIDGE = `# What runs the nodes. Without an adapter the scripted one answers, which needs no key and costs nothing.
adapters: {}

# To use a model, take the marks from the lines below in place of the line above, and put the key into the environment.
# Local commands and services are reached the same way, and nothing that is not named here.
#adapters:
#  ai-sdk: {}
#  process:
#    commands:
#      count: { argv: ["/usr/bin/wc", "-w"] }
#  http:
#    targets:
#      billing: { url: "https://billing.example.com/jobs", headers: { Authorization: "secret://BILLING_TOKEN" } }
#default_provider: openai

# Values of these variables of the environment are taken out of everything that is written or shown.
secrets: []
`;

const IGNORED = `.sluice/
.env
*.ledger.jsonl
`;
