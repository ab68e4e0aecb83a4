import { readdirSync, readFileSync } from "node:fs";
import { basename, extname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { isJsonObject } from "../src/core/base/index.ts";
import { definitionHashOf, EMPTY_CATALOG, readDefinition } from "../src/core/definition/index.ts";
import { readSource } from "../src/core/text/index.ts";
import { isWorkflow } from "../src/workflow/index.ts";

const ROOT = join(import.meta.dirname, "..", "examples");

/** Every file of the examples that is a workflow, in whatever folder. */
function workflowFiles(): readonly string[] {
  return readdirSync(ROOT, { recursive: true, encoding: "utf8" })
    .filter((name) => [".lobsterX", ".yaml"].includes(extname(name)))
    .toSorted()
    .filter((name) => {
      const value = readSource(readFileSync(join(ROOT, name))).tree?.value ?? null;
      return isJsonObject(value) && "name" in value && ("steps" in value || "nodes" in value);
    });
}

const FILES = workflowFiles();

describe("the examples in TypeScript", () => {
  it("are as many as those in files", () => {
    expect(FILES.length).toBeGreaterThan(90);
  });

  it.each(FILES)("%s has the definition of its twin", async (file) => {
    const twin = join(ROOT, "code", file.replace(/\.[^.]+$/, ".workflow.ts"));
    const { default: workflow } = (await import(twin)) as { readonly default: unknown };
    if (!isWorkflow(workflow)) throw new Error(`${basename(twin)} exports no workflow`);
    const made = JSON.stringify(workflow.definition);
    const written = readFileSync(join(ROOT, file));
    expect(readDefinition(made, EMPTY_CATALOG).problems).toEqual([]);
    expect(definitionHashOf(made), made).toBe(definitionHashOf(written));
  });
});
