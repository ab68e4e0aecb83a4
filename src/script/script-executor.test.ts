import { afterAll, describe, expect, it } from "vitest";
import { createSystemClock } from "../clock/index.ts";
import type { JsonObject } from "../core/base/index.ts";
import { SCRIPT_LIMITS, type ScriptOutcome } from "./outcome.ts";
import { ScriptExecutor } from "./script-executor.ts";

/** So long that no thread is killed because the machine is slow. */
const PATIENCE_MS = 600_000;
const clock = createSystemClock();
const executor = new ScriptExecutor({ clock, patienceMs: PATIENCE_MS });
afterAll(() => executor.close());

const run = (code: string, inputs: JsonObject = {}) => executor.run({ code, inputs: JSON.stringify(inputs) });

async function valueOf(code: string, inputs: JsonObject = {}): Promise<unknown> {
  const outcome = await run(code, inputs);
  if (outcome?.kind !== "returned") throw new Error(`it did not return: ${JSON.stringify(outcome)}`);
  return outcome.json === null ? undefined : JSON.parse(outcome.json);
}

describe("a script", () => {
  it("reads inputs and returns JSON", async () => {
    expect(await valueOf("return { total: inputs.prices.reduce((a, b) => a + b, 0) };", { prices: [1, 2.5] })).toEqual({
      total: 3.5,
    });
  });

  it.each<[string, unknown]>([
    ["", undefined],
    ["return;", undefined],
    ["return null;", null],
    ["return [1, 'a', true];", [1, "a", true]],
    ["return 'text \\u{1f600} ü';", "text 😀 ü"],
    ["return NaN;", null],
    ["return { a: undefined, b: () => 1, c: 1 };", { c: 1 }],
    ["return { toJSON: () => ({ own: 1 }) };", { own: 1 }],
    ["const text = 'abc'; return text.replace(/b/u, 'x');", "axc"],
    ["return [...new Set([1, 1, 2])];", [1, 2]],
    ["return Number(2n ** 40n);", 2 ** 40],
    ["// no line end after this", undefined],
  ])("%s", async (code, expected) => {
    expect(await valueOf(code)).toEqual(expected);
  });

  it("may wait for promises of its own", async () => {
    expect(await valueOf("const a = await Promise.all([1, Promise.resolve(2)]); return a;")).toEqual([1, 2]);
    expect(await run("await new Promise(() => {}); return 1;")).toMatchObject({
      kind: "error",
      message: expect.stringContaining("never settles") as string,
    });
  });

  it("always ends the same way, after the same steps", async () => {
    const endless = await run("let n = 0; try { while (true) n++; } finally { inputs.n = n; }");
    const counted =
      "let n = 0; const keep = []; try { for (;;) { keep.push('x'.repeat(1000)); n++; } } catch { return n; }";
    expect(await run("let n = 0; try { while (true) n++; } finally { inputs.n = n; }")).toEqual(endless);
    expect(await valueOf(counted)).toBe(await valueOf(counted));
    const depth = "let n = 0; const f = () => { n++; f(); }; try { f(); } catch { return n; }";
    expect(await valueOf(depth)).toBe(await valueOf(depth));
  });

  it("leaves nothing behind for the next one", async () => {
    await run("globalThis.left = 1; Object.prototype.left = 2; Array.prototype.map = null; JSON.parse = null;");
    expect(await valueOf("return [typeof left, typeof ({}).left, [1].map((x) => x + 1)];")).toEqual([
      "undefined",
      "undefined",
      [2],
    ]);
  });
});

describe("a script cannot reach", () => {
  it.each([
    "Date",
    "performance",
    "Math.random",
    "process",
    "require",
    "fetch",
    "setTimeout",
    "setInterval",
    "setImmediate",
    "console",
    "WebAssembly",
    "XMLHttpRequest",
    "Atomics",
    "SharedArrayBuffer",
    "WeakRef",
    "FinalizationRegistry",
    "std",
    "os",
    "navigator",
    "structuredClone",
    "Buffer",
    "global",
    "module",
    "globalThis.constructor.constructor('return process')",
  ])("%s", async (name) => {
    const code = `try { return typeof ${name}; } catch { return "undefined"; }`;
    const escaped = `try { return typeof ${name}(); } catch { return "undefined"; }`;
    expect(await valueOf(name.includes("constructor") ? escaped : code)).toBe("undefined");
  });

  it("anything outside through functions it makes", async () => {
    const names = "['process', 'require', 'fetch', 'Date', 'performance', 'WebAssembly']";
    const code = `const F = Object.getPrototypeOf(async () => 0).constructor;
const seen = [];
for (const name of ${names}) for (const make of [Function, F, (text) => () => (0, eval)(text.replace("return", "")) ])
  seen.push(await make("return typeof " + name)());
return [...new Set(seen)];`;
    expect(await valueOf(code)).toEqual(["undefined"]);
    expect(await run("await import('node:fs'); return 1;")).toMatchObject({ kind: "error" });
    expect(await run("import fs from 'node:fs';")).toMatchObject({ kind: "error" });
  });

  it("its caller through what it returns", async () => {
    expect(await valueOf('return JSON.parse(\'{"__proto__": {"evil": 1}}\');')).toEqual(
      JSON.parse('{"__proto__": {"evil": 1}}'),
    );
    expect(({} as { evil?: number }).evil).toBeUndefined();
  });
});

const limit = (part: string): object => ({ kind: "limit", message: expect.stringContaining(part) as string });

describe("over a limit", () => {
  it.each<[string, string, string]>([
    ["an endless loop", "while (true);", "steps"],
    ["a loop that catches everything", "for (;;) { try { while (true); } catch {} }", "steps"],
    ["endless promises", "const again = () => Promise.resolve().then(again); await again();", "steps"],
    ["endless waiting", "for (;;) await 0;", "steps"],
    [
      "loops in promises that are caught",
      "const f = async () => { while (true); }; for (;;) await f().catch(() => 0);",
      "steps",
    ],
    ["endless generators", "function* g() { for (;;) yield 1; } for (const x of g()); ", "steps"],
    ["a pattern that backtracks", "/(a+)+$/.test('a'.repeat(40) + 'b');", "steps"],
    ["an endless toJSON", "return { toJSON() { while (true); } };", "steps"],
    ["an endless getter of an error", "throw { get message() { while (true); } };", "steps"],
    ["text that doubles", "let s = 'x'; for (;;) s += s;", ""],
    ["a list of texts", "const a = []; for (;;) a.push('x'.repeat(1000) + a.length);", "memory"],
    ["a large buffer", "new ArrayBuffer(1 << 30);", ""],
    ["many buffers", "const a = []; for (;;) a.push(new Uint8Array(1 << 20));", ""],
    ["a large list", "new Array(1e8).fill(0);", "memory"],
    ["deep recursion", "const f = () => f() + 1; f();", "nested too deeply"],
    ["deep recursion through a proxy", "const p = new Proxy({}, { get: () => p.x }); p.x;", "nested too deeply"],
    ["deep code", "eval('('.repeat(1e5) + '1' + ')'.repeat(1e5));", "nested too deeply"],
    ["deep JSON", "JSON.parse('['.repeat(1e6));", "nested too deeply"],
    ["a deep result", "let a = []; for (let i = 0; i < 1e5; i++) a = [a]; return a;", "nested too deeply"],
    ["a huge result", `return 'x'.repeat(${SCRIPT_LIMITS.resultBytesMax - 1});`, "bytes"],
  ])("%s", async (_name, code, part) => {
    const outcome = await run(code);
    // What is larger than any text or buffer may be is an ordinary error of the language.
    if (part === "") expect(outcome?.kind).toMatch(/limit|error/);
    else expect(outcome).toMatchObject(limit(part));
    expect(await valueOf("return 1;")).toBe(1);
  });

  it("a result at the limit is returned", async () => {
    const text = (await valueOf(`return 'x'.repeat(${SCRIPT_LIMITS.resultBytesMax - 2});`)) as string;
    expect(text.length).toBe(SCRIPT_LIMITS.resultBytesMax - 2);
  });

  it("counts steps to the edge", async () => {
    const own = new ScriptExecutor({ clock, patienceMs: PATIENCE_MS, limits: { ...SCRIPT_LIMITS, stepsMax: 50_000 } });
    const turns = (count: number) =>
      own.run({ code: `let n = 0; for (let i = 0; i < ${count}; i++) n++; return n;`, inputs: "{}" });
    let [below, above] = [0, 1_000_000];
    while (above - below > 1) {
      const middle = (above + below) >> 1;
      if ((await turns(middle))?.kind === "returned") below = middle;
      else above = middle;
    }
    // Each turn has a jump or two; they are counted in ten thousands, from wherever the interpreter's own count stands.
    expect(below).toBeGreaterThan(20_000);
    expect(below).toBeLessThan(60_001);
    expect((await turns(below))?.kind).toBe("returned");
    expect((await turns(above))?.kind).toBe("limit");
    await own.close();
  });
});

describe("an error", () => {
  it.each<[string, string, string, number | null, number | null]>([
    ["on the first line", "null.x;", "TypeError", 1, 5],
    ["on a later line", "const a = 1;\n\n  null.x;", "TypeError", 3, 7],
    ["that is thrown", "const a = 1;\nthrow new Error('no price');", "Error: no price", 2, 16],
    ["in a function", "const f = () => {\n  throw new RangeError('high');\n};\nf();", "RangeError: high", 2, 23],
    ["after waiting", "await 1;\nthrow new Error('late');", "Error: late", 2, 16],
    ["in the syntax", "const a = 1;\nconst b = ;", "SyntaxError", 2, 11],
    ["in a block that is not closed", "if (true) {\n  return 1;", "SyntaxError", 2, 12],
    ["in the middle of a list", "return [\n  1,\n  there,\n];", "ReferenceError", 3, 3],
    ["of a name that is not there", "\nreturn Date.now();", "ReferenceError", 2, 8],
    ["of a text", "throw 'just text';", "just text", null, null],
    ["of nothing", "throw undefined;", "undefined", null, null],
    ["of an object", "throw { code: 7 };", "it threw", null, null],
    [
      "of getters that throw",
      "throw { get message() { throw 1; }, get stack() { throw 2; } };",
      "it threw",
      null,
      null,
    ],
    ["in a rejection", "\nreturn Promise.reject(new Error('no'));", "Error: no", 2, 32],
    ["of a cycle", "const a = {}; a.a = a; return a;", "no JSON", null, null],
    ["of a BigInt", "return 1n;", "bigint", null, null],
    ["of a BigInt inside", "return { a: 1n };", "no JSON", null, null],
    ["of a function", "return () => 1;", "function", null, null],
    ["of a symbol", "return Symbol('a');", "symbol", null, null],
    ["of an object that is no JSON", "return { toJSON: () => undefined };", "no JSON", null, null],
  ])("%s", async (_name, code, part, line, column) => {
    const outcome = await run(code);
    expect(outcome).toMatchObject({ kind: "error", message: expect.stringContaining(part) as string });
    expect(outcome).toMatchObject({ line, column });
  });
});

describe("the thread", () => {
  const busy =
    "const a = Array.from({ length: 1e5 }, (_, i) => i); for (let i = 0; i < 1e5; i++) a.indexOf(-1); return 1;";

  it("is killed when it is silent, and the script runs again, three times", async () => {
    const fires: (() => void)[] = [];
    const own = new ScriptExecutor({
      clock: { now: () => 0, after: (_ms, fire) => (fires.push(fire), () => undefined) },
    });
    const outcome = own.run({ code: busy, inputs: "{}" });
    const after = own.run({ code: "return 2;", inputs: "{}" });
    for (let run = 0; run < 3; run += 1) {
      expect(fires).toHaveLength(run + 1);
      fires[run]?.();
    }
    expect(await outcome).toMatchObject(limit("3 times"));
    expect(await after).toEqual({ kind: "returned", json: "2" });
    await own.close();
  });

  it("is let go when its script is called off", async () => {
    const own = new ScriptExecutor({ clock, patienceMs: PATIENCE_MS });
    const first = new AbortController();
    const second = new AbortController();
    const outcomes = [
      own.run({ code: busy, inputs: "{}" }, first.signal),
      own.run({ code: "return 2;", inputs: "{}" }, second.signal),
      own.run({ code: "return 3;", inputs: "{}" }),
    ];
    second.abort();
    first.abort();
    expect(await Promise.all(outcomes)).toEqual([null, null, { kind: "returned", json: "3" }]);
    const last = own.run({ code: busy, inputs: "{}" });
    await own.close();
    expect(await last).toBeNull();
    await own.close();
  });

  it("answers a caller that stands still", async () => {
    const own = new ScriptExecutor({ clock, patienceMs: PATIENCE_MS });
    const outcomes: ScriptOutcome[] = ["return inputs.a;", "throw new Error('x');", "while (true);"].map((code) =>
      own.runNow({ code, inputs: '{"a":1}' }),
    );
    expect(outcomes.map(({ kind }) => kind)).toEqual(["returned", "error", "limit"]);
    const impatient = new ScriptExecutor({ clock, patienceMs: 1 });
    expect(impatient.runNow({ code: busy, inputs: "{}" })).toMatchObject(limit("3 times"));
    await Promise.all([own.close(), impatient.close()]);
  });
});
