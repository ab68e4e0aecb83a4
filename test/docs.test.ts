import { existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { DOCS, ROOT } from "../scripts/generated-docs.ts";
import { readRepository } from "./law/source.ts";

describe("generated pages", () => {
  it.each(DOCS)("$path is what the code says (npm run docs)", ({ path, render }) => {
    expect(readFileSync(join(ROOT, path), "utf8")).toBe(render());
  });
});

describe("written pages", () => {
  const pages = readRepository().filter(({ path }) => path.endsWith(".md"));

  it("link only to what is there", () => {
    const broken = pages.flatMap(({ path, text }) =>
      [...text.matchAll(/\]\((?!https?:|#)([^)#\s]+)[^)]*\)/g)]
        .map((match) => match[1] ?? "")
        .filter((target) => !existsSync(join(ROOT, dirname(path), target)))
        .map((target) => `${path}: ${target}`),
    );
    expect(broken).toEqual([]);
  });

  it("name only scripts that package.json has", () => {
    const manifest = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8")) as {
      scripts: Record<string, string>;
    };
    const unknown = pages.flatMap(({ path, text }) =>
      [...text.matchAll(/`npm run ([a-z:]+)/g)]
        .map((match) => match[1] ?? "")
        .filter((name) => !Object.hasOwn(manifest.scripts, name))
        .map((name) => `${path}: npm run ${name}`),
    );
    expect(unknown).toEqual([]);
  });
});
