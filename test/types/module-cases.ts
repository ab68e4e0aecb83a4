/** Whole modules, of the client and of a worker, with what the compiler says about each; null: nothing. */
const CLIENT = `import { SluiceClient } from "sluice/client";
const client = new SluiceClient({ url: "http://127.0.0.1:1", key: "k" });
const triage = workflow("triage", { args: z.object({ repo: z.string(), limit: z.int().default(5) }) }, ({ args }) => {
  const found = set("found", { names: map(range(args.limit), (n) => add(n, 1)), text: lower(args.repo) });
  return { names: found.names, text: found.text };
});
`;

const ALONE: readonly (readonly [string, string, RegExp | null])[] = [
  [
    "a start with its args",
    `${CLIENT}export const text: Promise<string> = client.run(triage, { repo: "a" }).then((o) => o.text);`,
    null,
  ],
  [
    "outputs of a result",
    `${CLIENT}export const total: Promise<number> = client.run(triage, { repo: "a", limit: 2 }).then((o) => o.names.reduce((a, b) => a + b, 0));`,
    null,
  ],
  ["a workflow by its name", `${CLIENT}export const handle = client.runs.start("anything", { x: 1 });`, null],
  ["a start without an arg", `${CLIENT}void client.run(triage, {});`, /Property 'repo' is missing/],
  ["a start without args", `${CLIENT}void client.runs.start(triage);`, /Expected \d.*arguments, but got 1/],
  [
    "a start with a wrong arg",
    `${CLIENT}void client.run(triage, { repo: 1 });`,
    /Type 'number' is not assignable to type 'string'/,
  ],
  [
    "a start with an unknown arg",
    `${CLIENT}void client.run(triage, { repo: "a", limits: 1 });`,
    /'limits' does not exist in type/,
  ],
  [
    "an output that is not returned",
    `${CLIENT}export const x = client.run(triage, { repo: "a" }).then((o) => o.total);`,
    /Property 'total' does not exist/,
  ],
  [
    "an output of another type",
    `${CLIENT}export const x: Promise<number> = client.run(triage, { repo: "a" }).then((o) => o.text);`,
    /Type 'string' is not assignable to type 'number'/,
  ],
  [
    "an edge to a node that is not there",
    'export default lensGraph("g", { nodes: [{ id: "a" }, { id: "b" }], edges: [{ id: "e", source_node_id: "a", target_node_id: "c", target_param_label: "x" }] });',
    /Type '"c"' is not assignable to type '"a" \| "b"'/,
  ],
  [
    "names of a server",
    `import { SluiceClient } from "sluice/client";
declare module "sluice/client" { interface KnownWorkflows { "pay-back": { args: { order: number }; outputs: { receipt: string } } } }
export const receipt: Promise<string> = new SluiceClient({ url: "u", key: "k" }).run("pay-back", { order: 1 }).then((o) => o.receipt);`,
    null,
  ],
  [
    "a wrong arg by the name on a server",
    `import { SluiceClient } from "sluice/client";
declare module "sluice/client" { interface KnownWorkflows { "pay-out": { args: { order: number }; outputs: { receipt: string } } } }
void new SluiceClient({ url: "u", key: "k" }).run("pay-out", { order: "one" });`,
    /Type 'string' is not assignable to type 'number'/,
  ],
];

const NUMBERS = `import { createWorker, step } from "sluice/worker";
const schemas = { input: z.object({ cents: z.int() }), output: z.object({ id: z.string() }) };
`;

const WORKER: readonly (readonly [string, string, RegExp | null])[] = [
  [
    "a function of a worker",
    `${NUMBERS}const pay = step({ ...schemas, run: async ({ cents }, { idempotencyKey }) => ({ id: \`\${cents.toFixed()} \${idempotencyKey}\` }) });
void createWorker({ url: "u", key: "k", functions: { pay } }).run();`,
    null,
  ],
  [
    "a function that returns another type",
    `${NUMBERS}export const pay = step({ ...schemas, run: ({ cents }) => ({ id: cents }) });`,
    /Type 'number' is not assignable to type 'string'/,
  ],
  [
    "an input that a function does not have",
    `${NUMBERS}export const pay = step({ ...schemas, run: ({ cent }) => ({ id: String(cent) }) });`,
    /Property 'cent' does not exist on type '\{ cents: number; \}'/,
  ],
  [
    "a function with an unknown kind of act",
    `${NUMBERS}export const pay = step({ ...schemas, action: "pay", run: () => ({ id: "x" }) });`,
    /Type '"pay"' is not assignable to type/,
  ],
  ["a worker without a key", `${NUMBERS}createWorker({ url: "u", functions: {} });`, /Property 'key' is missing/],
];

export const MODULES = [...ALONE, ...WORKER];
