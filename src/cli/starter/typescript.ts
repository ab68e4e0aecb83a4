import type { StarterFile } from "./files.ts";
import { NOTHING_EXPENSIVE } from "./nothing-expensive.ts";

/** Returns a TypeScript project: a workflow, a worker, cases, rules, and the checks for CI. */
export function typescriptFiles(name: string, sluice: string): readonly StarterFile[] {
  return [
    { path: "README.md", text: README },
    { path: "workflows/hello.workflow.ts", text: WORKFLOW },
    { path: "workflows/hello.cases.ts", text: CASES },
    { path: "worker.ts", text: WORKER },
    { path: "registry/rules.yaml", text: RULES },
    { path: "package.json", text: packageJson(name, sluice) },
    { path: "tsconfig.json", text: TSCONFIG },
    { path: ".oxlintrc.json", text: LINT },
    { path: ".github/workflows/check.yaml", text: CI },
    { path: ".gitignore", text: "node_modules/\n.sluice/\n.env\n" },
  ];
}

export const TYPESCRIPT_COMMANDS: readonly string[] = ["npm install", "npx sluice test", "npx sluice dev"];

const WORKFLOW = `import { agent, call, gate, workflow } from "sluice/workflow";
import { z } from "zod";

export default workflow("hello", { args: z.object({ topic: z.string().default("tides") }) }, ({ args }) => {
  const sentence = agent("sentence", {
    agent: "writer",
    command: \`Write one sentence about \${args.topic} that a child would enjoy.\`,
    outputs: z.object({ text: z.string() }),
  });
  const counted = call("counted", {
    function: "count-words",
    inputs: { text: sentence.text },
    outputs: z.object({ words: z.number().int() }),
  });
  gate("release", { depends_on: [counted] });
  return { text: sentence.text, words: counted.words };
});
`;

const CASES = `import { cases } from "sluice/testing";
import hello from "./hello.workflow.ts";

const answers = { sentence: { outputs: { text: "The sea comes twice a day." } }, counted: { outputs: { words: 6 } } };

export default cases(hello, [
  {
    name: "a person releases the sentence",
    args: { topic: "the sea" },
    answers,
    approvals: { release: "approve" },
    expect: {
      status: "completed",
      outputs: { text: "The sea comes twice a day.", words: 6 },
      asked: [{ node: "sentence", contains: "the sea" }, "release"],
    },
  },
  { name: "nothing is released without an answer", answers, expect: { status: "waiting" } },
]);
`;

const WORKER = `import { createWorker, step } from "sluice/worker";
import { z } from "zod";

const { SLUICE_URL = "http://127.0.0.1:7717", SLUICE_KEY = "" } = process.env;

await createWorker({
  url: SLUICE_URL,
  key: SLUICE_KEY,
  functions: {
    "count-words": step({
      input: z.object({ text: z.string() }),
      output: z.object({ words: z.number().int() }),
      run: async ({ text }) => ({ words: text.split(/\\s+/).length }),
    }),
  },
}).run();
`;

const RULES = `# Who acts here, what it may spend, and what no agent may do.
kind: Agent
name: writer
spec: { trust_level: 5, autonomy: supervised, budget_monthly_usd: 10 }
---
${NOTHING_EXPENSIVE}`;

/** Returns package.json. The package name is derived from the name, since npm restricts the characters. */
function packageJson(name: string, sluice: string): string {
  const word = name
    .toLowerCase()
    .replaceAll(/[^a-z0-9-]+/g, "-")
    .replaceAll(/^-+|-+$/g, "");
  const document = {
    name: word === "" ? "my-flows" : word,
    private: true,
    type: "module",
    scripts: { dev: "sluice dev", test: "sluice test", check: "tsc && oxlint --type-aware && sluice test --coverage" },
    dependencies: { sluice, zod: "^4.0.0" },
    devDependencies: {
      "@types/node": "^20.19.0",
      oxlint: "^1.93.0",
      "oxlint-tsgolint": "^7.0.0",
      typescript: "^7.0.0",
    },
  };
  return `${JSON.stringify(document, null, 2)}\n`;
}

const TSCONFIG = `${JSON.stringify(
  {
    compilerOptions: {
      strict: true,
      noEmit: true,
      target: "es2023",
      module: "nodenext",
      moduleResolution: "nodenext",
      allowImportingTsExtensions: true,
      skipLibCheck: true,
      types: ["node"],
    },
    include: ["workflows", "worker.ts"],
  },
  null,
  2,
)}\n`;

/** Workflow references are objects, so a condition on one would always be true. In a text template they are allowed. */
const LINT = `${JSON.stringify(
  {
    rules: {
      "typescript/strict-boolean-expressions": "error",
      "typescript/restrict-template-expressions": "off",
    },
  },
  null,
  2,
)}\n`;

const CI = `name: check
on: [push]
jobs:
  check:
    runs-on: ubuntu-latest
    steps:
      - uses: actions/checkout@v4
      - uses: actions/setup-node@v4
        with: { node-version: 20 }
      - run: npm install
      - run: npx tsc && npx oxlint --type-aware
      - run: npx sluice test --coverage --format github
`;

const README = `# My flows

\`\`\`sh
npm install
npx sluice test     # the cases, in simulated time, without a key
npx sluice dev      # server, console and worker; applies saved files
\`\`\`

In another terminal: \`npx sluice run hello --arg topic=tides\`. The step \`release\` then waits for you in the console.

| File | Holds |
|---|---|
| \`workflows/hello.workflow.ts\` | the workflow |
| \`workflows/hello.cases.ts\` | its cases |
| \`worker.ts\` | functions that are steps |
| \`registry/rules.yaml\` | the agent, and what no step may do |
| \`.oxlintrc.json\` | finds conditions on references, which would always hold |
`;
