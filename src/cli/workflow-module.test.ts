import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { definitionHashOf } from "../core/definition/index.ts";
import { explainFailure } from "./module-failure.ts";
import { loadWorkflowModule, ModuleError } from "./workflow-module.ts";

/** For machines on which even a small module takes long. */
const PATIENCE_MS = 60_000;
const ROOT = join(import.meta.dirname, "..", "..");
const folder = mkdtempSync(join(tmpdir(), "sluice-module-"));
const HEAD = `import { z } from "zod";\nimport { agent, child, workflow } from "sluice/workflow";\n`;

beforeAll(() => {
  symlinkSync(join(ROOT, "node_modules"), join(folder, "node_modules"));
  const paths = { "sluice/workflow": [join(ROOT, "src/workflow/index.ts")] };
  writeFileSync(join(folder, "tsconfig.json"), JSON.stringify({ compilerOptions: { paths } }));
  writeFileSync(join(folder, "package.json"), JSON.stringify({ type: "module" }));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function write(name: string, text: string): string {
  writeFileSync(join(folder, name), text);
  return join(folder, name);
}

async function refused(text: string, options = { timeoutMs: PATIENCE_MS }): Promise<object> {
  const file = write(`wrong-${Math.abs(text.length)}.ts`, text);
  const thrown: unknown = await loadWorkflowModule(file, options).catch((error: unknown) => error);
  if (!(thrown instanceof ModuleError)) throw new Error(`it was loaded, or: ${String(thrown)}`);
  const { code, place, hint } = thrown;
  expect(hint).not.toBe("");
  expect(place.file).toBe(file);
  return { code, line: place.line };
}

describe("a module of workflows", () => {
  it("gives its workflows, the default export first, with the places of their steps", async () => {
    const file = write(
      "good.ts",
      `${HEAD}
export const kid = workflow("kid", {}, () => void agent("work", { command: "Work." }));

export default workflow("parent", { args: z.object({ a: z.string() }) }, ({ args }) => {
  agent("first", { command: \`Do \${args.a}: \${"yes: no"}\` });
  child("second", kid, {});
});
export const other = 1;
export const all = [kid];
console.log("loading");
`,
    );
    const printed: string[] = [];
    const { workflows, exports } = await loadWorkflowModule(file, {
      onOutput: (text) => printed.push(text),
      timeoutMs: PATIENCE_MS,
    });
    expect(workflows.map(({ exportNames, name }) => [name, exportNames.toSorted()])).toEqual([
      ["parent", ["default"]],
      ["kid", ["all", "kid"]],
    ]);
    expect(exports.toSorted()).toEqual(["all", "default", "kid", "other"]);
    const [parent] = workflows;
    expect(parent?.places).toMatchObject({ "steps[0]": { file, line: 7 }, "steps[1]": { file, line: 8 } });
    expect(parent?.children.map(({ name }) => name)).toEqual(["kid"]);
    expect(definitionHashOf(parent?.source ?? "")).toBe(definitionHashOf(JSON.stringify(parent?.definition)));
    expect(printed.join("")).toContain("loading");
  });

  it.each([
    ["throws", `${HEAD}\nthrow new Error("no");\n`, { code: "module_failed", line: 4 }],
    ["exits", "process.exit(0);\n", { code: "module_failed", line: 1 }],
    [
      "imports what is missing",
      `\nimport x from "not-there";\nexport default x;\n`,
      { code: "missing_import", line: 2 },
    ],
    [
      "imports a file that is missing",
      `\n\nimport x from "./gone.ts";\nexport default x;\n`,
      { code: "missing_import", line: 3 },
    ],
    [
      "imports a name that is not exported",
      `${HEAD}\nimport { agnt } from "sluice/workflow";\nexport default agnt;\n`,
      { code: "missing_import", line: 4 },
    ],
    ["waits for nothing", "await new Promise(() => undefined);\n", { code: "module_failed", line: 1 }],
    ["cannot be read", "export const a = ;\n", { code: "module_unreadable", line: 1 }],
    ["exports nothing", "export {};\n", { code: "no_workflow", line: 1 }],
    ["exports no workflow", "export const a = { name: 'x', steps: [] };\n", { code: "no_workflow", line: 1 }],
    [
      "uses a value that is not there",
      `${HEAD}export default workflow("w", {}, ({ run }) => {\n  Number(run.id);\n});\n`,
      { code: "bad_reference", line: 4 },
    ],
    [
      "has a schema that cannot be expressed",
      `${HEAD}\n\nexport default workflow("w", { args: z.object({ a: z.date() }) }, () => {});\n`,
      { code: "schema_unsupported", line: 5 },
    ],
  ])("that %s is refused with its line", async (_title, text, expected) => {
    expect(await refused(text)).toEqual(expected);
  });

  it("that never ends loading is stopped", async () => {
    const expected = { code: "module_timeout", line: 1 };
    expect(await refused("for (;;) {}\n", { timeoutMs: 1_500 })).toEqual(expected);
    expect(await refused("await new Promise(() => setInterval(() => {}, 1_000));\n", { timeoutMs: 1_500 })).toEqual(
      expected,
    );
  });

  it("cannot be read without the compiler that npm may have left out", () => {
    const message = 'The package "@esbuild/linux-x64" could not be found, and is needed by esbuild.';
    expect(explainFailure("a.ts", { name: "TransformError", message, stack: "" })).toMatchObject({
      code: "missing_import",
      hint: "Install it: npm install @esbuild/linux-x64.",
      place: { file: "a.ts", line: 1 },
    });
  });

  it("that is not there is no module", async () => {
    const gone = loadWorkflowModule(join(folder, "gone.ts"));
    await expect(gone).rejects.toMatchObject({ code: "module_unreadable", message: "There is no such file." });
  });
});
