import { execFile } from "node:child_process";
import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import * as names from "../../src/workflow/index.ts";
import { TYPE_CASES, type TypeCase } from "./type-cases.ts";

const ROOT = join(import.meta.dirname, "..", "..");
const folder = mkdtempSync(join(tmpdir(), "sluice-types-"));
const IMPORTS = `import { z } from "zod";\nimport { ${Object.keys(names).join(", ")} } from "sluice/workflow";\n`;

function moduleOf({ code, alone }: TypeCase): string {
  if (alone === true) return `${IMPORTS}${code}\n`;
  const args =
    "z.object({ repo: z.string(), count: z.int(), tags: z.array(z.string()), order: z.object({ id: z.string() }) })";
  return `${IMPORTS}export default workflow("t", { args: ${args} }, ({ args }) => {\n${code}\n});\n`;
}

/** Errors by file: all cases are compiled at once, as an editor would check them one by one. */
let errors: ReadonlyMap<string, string> = new Map();

beforeAll(async () => {
  symlinkSync(join(ROOT, "node_modules"), join(folder, "node_modules"));
  for (const [index, one] of TYPE_CASES.entries()) writeFileSync(join(folder, `case-${index}.ts`), moduleOf(one));
  const compilerOptions = {
    target: "es2023",
    module: "nodenext",
    moduleResolution: "nodenext",
    strict: true,
    noEmit: true,
    types: ["node"],
    skipLibCheck: true,
    allowImportingTsExtensions: true,
    noUncheckedIndexedAccess: true,
    exactOptionalPropertyTypes: true,
    lib: ["es2023", "dom", "dom.iterable", "dom.asynciterable"],
    paths: {
      "sluice/client": [join(ROOT, "src/client/index.ts")],
      "sluice/worker": [join(ROOT, "src/worker/index.ts")],
      "sluice/workflow": [join(ROOT, "src/workflow/index.ts")],
    },
  };
  writeFileSync(join(folder, "tsconfig.json"), JSON.stringify({ compilerOptions, include: ["*.ts"] }));
  writeFileSync(join(folder, "package.json"), JSON.stringify({ type: "module" }));
  errors = await compile();
});

afterAll(() => rmSync(folder, { recursive: true, force: true }));

function compile(): Promise<ReadonlyMap<string, string>> {
  return new Promise((resolve) => {
    const tsc = join(ROOT, "node_modules", ".bin", "tsc");
    execFile(tsc, ["-p", ".", "--pretty", "false"], { cwd: folder, maxBuffer: 1 << 26 }, (_error, stdout) => {
      const found = new Map<string, string>();
      let file = "";
      for (const line of stdout.split("\n")) {
        file = /^(\S+)\(\d+,\d+\): error/.exec(line)?.[1] ?? file;
        found.set(file, `${found.get(file) ?? ""}${line}\n`);
      }
      resolve(found);
    });
  });
}

describe("the compiler, about workflows in TypeScript,", () => {
  it("is asked about at least 40 mistakes", () => {
    expect(TYPE_CASES.filter(({ error }) => error !== null).length).toBeGreaterThanOrEqual(40);
    expect([...errors.keys()].filter((file) => !file.startsWith("case-"))).toEqual([]);
  });

  it.each(TYPE_CASES.map((one, index) => ({ ...one, index })))("$title", ({ index, error }) => {
    const found = errors.get(`case-${index}.ts`) ?? "";
    if (error === null) expect(found).toBe("");
    else expect(found).toMatch(error);
  });
});
