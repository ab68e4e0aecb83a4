import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { readPage } from "./docs/page.ts";
import { REPOSITORY } from "./law/source.ts";

const read = (path: string): string => readFileSync(join(REPOSITORY, path), "utf8");

describe("the package", () => {
  const { exports, files } = JSON.parse(read("package.json")) as {
    readonly exports: Readonly<Record<string, string | { readonly types: string; readonly default: string }>>;
    readonly files: readonly string[];
  };

  it("exports only what is built from sources that are there, types first, and packs what it exports", () => {
    expect(files).toContain("dist");
    for (const target of Object.values(exports)) {
      // The schemas, which are made when it is packed, and the manifest.
      if (typeof target === "string") continue;
      expect(Object.keys(target)).toEqual(["types", "default"]);
      for (const path of Object.values(target)) {
        expect(path).toMatch(/^\.\/dist\/\w+\/index(?:\.d\.ts|\.js)$/);
        const source = path.replace("./dist/", "src/").replace(/(?:\.d\.ts|\.js)$/, ".ts");
        expect(existsSync(join(REPOSITORY, source)), source).toBe(true);
      }
    }
  });
});

describe("the image", () => {
  it("is made as the page about operations shows", () => {
    const shown = readPage("docs/operations.md").blocks.find(({ language }) => language === "dockerfile");
    expect(shown?.text).toBe(read("Dockerfile"));
  });

  it("holds nothing but what is named, and everything the build reads", () => {
    const lines = read(".dockerignore")
      .split("\n")
      .filter((line) => line !== "" && !line.startsWith("#"));
    // Everything is left out first: what is added to a checkout later, such as a key, stays outside by itself.
    expect(lines[0]).toBe("*");
    const named = lines.filter((line) => line.startsWith("!")).map((line) => line.slice(1));
    for (const path of named) if (!path.includes("*")) expect(existsSync(join(REPOSITORY, path)), path).toBe(true);
    for (const needed of [
      "package.json",
      "package-lock.json",
      "tsconfig*.json",
      "vite.config.ts",
      "bin",
      "scripts",
      "src",
    ]) {
      expect(named).toContain(needed);
    }
    for (const kept of [".git", ".sluice", "node_modules", "dist", "test"]) expect(named).not.toContain(kept);
  });
});
