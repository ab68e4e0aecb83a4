import { MODULES } from "./module-cases.ts";

/** What the compiler says about workflows in TypeScript. In each case `args` has `repo`, `count`, `tags` and `order`. */
export interface TypeCase {
  readonly title: string;
  /** Statements of a workflow function; with `alone`, a whole module behind its imports. */
  readonly code: string;
  readonly alone?: true;
  /** What the message holds; null: there is none. */
  readonly error: RegExp | null;
}

const STEP =
  'const draft = agent("draft", { command: "x", outputs: z.object({ text: z.string(), score: z.int(), label: z.enum(["bug", "idea"]) }) });';
const LIST =
  'const found = http("found", { url: "u", outputs: z.object({ items: z.array(z.object({ title: z.string(), size: z.number() })) }) });';

const FINE: readonly (readonly [string, string])[] = [
  ["a field of a step in a text", `${STEP} agent("b", { command: \`\${draft.text}\` });`],
  ["an element of a list", `${LIST} each("e", found.items, (one) => agent({ command: \`\${one.title}\` }));`],
  [
    "what each() gathers",
    `${LIST} const all = each("e", found.items, (one) => set({ big: gt(one.size, 1) })); return { first: all.items[0]?.big, count: all.count };`,
  ],
  ["numbers and their operators", `${STEP} set("s", { x: add(multiply(draft.score, 2), args.count) });`],
  ["a lambda over a list", `${LIST} set("s", { sizes: sum(map(found.items, (x) => x.size)) });`],
  [
    "the answer of a gate's form",
    'const g = gate("g", { form: { amount: { type: "number" }, account: { enum: ["a", "b"] } } }); set("s", { x: add(g.amount, 1), y: eq(g.account, "a") });',
  ],
  [
    "outputs of a round",
    `const r = repeat("r", () => agent({ command: "x", outputs: z.object({ score: z.int() }) }), { until: (o) => gte(o.score, 8) }); set("s", { n: add(r.rounds, r.score) });`,
  ],
  [
    "a field that one branch hands on",
    'const c = choose("c", [{ when: gt(args.count, 1), steps: () => { const a = set("a", { n: 1 }); return { n: a.n }; } }, { else: () => { set("b", { n: 1 }); return { m: "x" }; } }]); set("s", { x: add(c.n, 1), y: lower(c.m) });',
  ],
  [
    "an optional output",
    'const a = agent("a", { command: "x", outputs: z.object({ note: z.string().optional() }) }); set("s", { x: orElse(a.note, "none") });',
  ],
  [
    "whatever a step without a schema returns as JSON",
    'const a = agent("a", { command: "x" }); set("s", { x: a.json.anything.at_all });',
  ],
  [
    "args that are handed on to another workflow",
    'const inner = workflow("inner", { args: z.object({ repo: z.string(), more: z.int() }) }, ({ args: a }) => ({ ...a })); const c = child("c", inner, { ...args, more: 1 }); set("s", { x: add(c.more, 1) });',
  ],
  [
    "inputs that are passed through",
    'const a = agent("a", { command: (i) => `${i.n}`, inputs: { n: args.count } }); set("s", { x: add(a.n, 1) });',
  ],
];

const WRONG: readonly (readonly [string, string, RegExp])[] = [
  [
    "an arg that is not declared",
    'agent("a", { command: `${args.rep}` });',
    /Property 'rep' does not exist on type .*Did you mean 'repo'|Property 'rep' does not exist/s,
  ],
  [
    "an output that is not declared",
    `${STEP} agent("b", { command: \`\${draft.txt}\` });`,
    /Property 'txt' does not exist/,
  ],
  ["a field of a text", `${STEP} agent("b", { command: \`\${draft.text.size}\` });`, /Property 'size' does not exist/],
  [
    "a field of an element",
    `${LIST} each("e", found.items, (one) => agent({ command: \`\${one.name}\` }));`,
    /Property 'name' does not exist/,
  ],
  [
    "a field of what each() gathers",
    `${LIST} const all = each("e", found.items, () => set({ ok: true })); set("s", { x: all.elements });`,
    /Property 'elements' does not exist/,
  ],
  [
    "an output of a step without a schema",
    'const a = agent("a", { command: "x" }); set("s", { x: a.text });',
    /Property 'text' does not exist/,
  ],
  [
    "a value that an enum does not have",
    `${STEP} gate("g", { when: eq(draft.label, "bugg") });`,
    /Argument of type '"bugg"' is not assignable/,
  ],
  [
    "a text compared with a number",
    `${STEP} gate("g", { when: gt(draft.text, 3) });`,
    /Argument of type '(?:number|3)' is not assignable/,
  ],
  [
    "a number compared with a text",
    `${STEP} gate("g", { when: eq(draft.score, "3") });`,
    /Argument of type '(?:string|"3")' is not assignable/,
  ],
  [
    "a text that is added to a number",
    `${STEP} set("s", { x: add(draft.score, draft.text) });`,
    /is not assignable to parameter of type/,
  ],
  [
    "a text that is multiplied",
    `${STEP} set("s", { x: multiply(draft.text, 2) });`,
    /is not assignable to parameter of type 'Operand<number>'/,
  ],
  ["the sum of texts", 'set("s", { x: sum(args.tags) });', /is not assignable to parameter of type 'List<number>'/],
  ["an operator of JavaScript", `${STEP} set("s", { x: draft.score + 1 });`, /Operator '\+' cannot be applied/],
  [
    "a comparison of JavaScript",
    `${STEP} gate("g", { when: draft.score > 1 });`,
    /Operator '>' cannot be applied|is not assignable/,
  ],
  ["a condition that is a text", `${STEP} gate("g", { when: draft.text });`, /is not assignable to type 'Condition/],
  ["a condition that is a number", 'gate("g", { when: args.count });', /is not assignable to type 'Condition/],
  [
    "a list that is a text",
    'each("e", args.repo, () => agent({ command: "x" }));',
    /is not assignable to parameter of type 'List<unknown>'/,
  ],
  ["a method of a list", 'set("s", { x: args.tags.map((t) => t) });', /Property 'map' does not exist/],
  [
    "a loop over a list",
    'for (const tag of args.tags) agent("a", { command: `${tag}` });',
    /must have a '\[Symbol\.iterator\]\(\)' method|is not an array type/,
  ],
  [
    "a dependency that is a text",
    'agent("a", { command: "x", depends_on: ["draft"] });',
    /Type 'string' is not assignable to type 'Dependency'/,
  ],
  [
    "a dependency that is a value",
    `${STEP} agent("a", { command: "x", depends_on: [draft.text] });`,
    /is not assignable to type 'Dependency'/,
  ],
  [
    "an outcome that does not exist",
    `${STEP} agent("a", { command: "x", depends_on: [{ step: draft, on: "failed" }] });`,
    /Type '"failed"' is not assignable/,
  ],
  [
    "an option that does not exist",
    'agent("a", { command: "x", dependsOn: [] });',
    /'dependsOn' does not exist in type/,
  ],
  [
    "an action that does not exist",
    'agent("a", { command: "x", action: "delete" });',
    /Type '"delete"' is not assignable to type/,
  ],
  [
    "an on_failure that does not exist",
    'agent("a", { command: "x", on_failure: "ignore" });',
    /Type '"ignore"' is not assignable to type/,
  ],
  [
    "a method that does not exist",
    'http("h", { url: "u", method: "FETCH" });',
    /Type '"FETCH"' is not assignable to type/,
  ],
  ["a call without its address", 'http("h", { method: "GET" });', /Property 'url' is missing/],
  [
    "a schema that is none",
    'agent("a", { command: "x", outputs: { text: "string" } });',
    /Property '"~standard"' is missing|is not assignable|does not exist in type/,
  ],
  ["a round without an end", 'repeat("r", () => agent({ command: "x" }), { max: 3 });', /Property 'until' is missing/],
  [
    "a round that ends by a text",
    'repeat("r", () => agent({ command: "x", outputs: z.object({ s: z.string() }) }), { until: (o) => o.s });',
    /is not assignable to type '(?:Condition|.*Reference<boolean>)/s,
  ],
  [
    "a branch without a condition",
    'choose("c", [{ steps: () => set("a", { n: 1 }) }]);',
    /Property 'when' is missing|Property 'else' is missing|is not assignable/,
  ],
  ["an event without a type", 'emit("e", { key: { a: 1 } });', /Property 'type' is missing/],
  [
    "a form field of an unknown type",
    'gate("g", { form: { a: { type: "money" } } });',
    /Type '"money"' is not assignable to type/,
  ],
  ["an index that is a text", `${LIST} set("s", { x: at(found.items, "0") });`, /No overload matches this call/],
  [
    "keys that an object does not have",
    `${STEP} set("s", { x: pick(draft, "text", "nope") });`,
    /Argument of type '"nope"' is not assignable/,
  ],
  [
    "an arg of another workflow",
    'const inner = workflow("inner", { args: z.object({ n: z.int() }) }, ({ args: a }) => ({ m: a.n })); child("c", inner, { n: args.repo });',
    /is not assignable to type/,
  ],
  [
    "a missing arg of another workflow",
    'const inner = workflow("inner", { args: z.object({ n: z.int() }) }, ({ args: a }) => ({ m: a.n })); child("c", inner, {});',
    /Property 'n' is missing/,
  ],
  [
    "an output of another workflow",
    'const inner = workflow("inner", { args: z.object({ n: z.int() }) }, ({ args: a }) => ({ m: a.n })); set("s", { x: child("c", inner, { n: 1 }).k });',
    /Property 'k' does not exist/,
  ],
  [
    "a typed value of another type",
    `${STEP} agent("b", { command: "x", inputs: { n: typed(draft.text, z.number()) } });`,
    /is not assignable to parameter of type/,
  ],
];

export const TYPE_CASES: readonly TypeCase[] = [
  ...FINE.map(([title, code]): TypeCase => ({ title, code, error: null })),
  ...WRONG.map(([title, code, error]): TypeCase => ({ title, code, error })),
  ...MODULES.map(([title, code, error]): TypeCase => ({ title, code, error, alone: true })),
];
