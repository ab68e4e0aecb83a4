import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { DOCS, ROOT } from "../scripts/generated-docs.ts";
import { commandsShownIn, problemsOfCommand } from "./docs/command-check.ts";
import { type Block, placeOf, readPages } from "./docs/page.ts";
import { DOORS } from "./docs/script.ts";
import { problemsOfYaml } from "./docs/yaml-block.ts";
import { readRepository } from "./law/source.ts";

describe("generated pages", () => {
  it.each(DOCS)("$path is what the code generates (npm run docs)", ({ path, render }) => {
    expect(readFileSync(join(ROOT, path), "utf8")).toBe(render());
  });
});

const pages = readPages();
const blocksIn = (language: string): Block[] =>
  pages.flatMap(({ blocks }) => blocks).filter((block) => block.language === language);

describe("written pages", () => {
  const written = readRepository().filter(({ path }) => path.endsWith(".md"));

  it("link only to what is there", () => {
    const broken = written.flatMap(({ path, text }) =>
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
    const unknown = written.flatMap(({ path, text }) =>
      [...text.matchAll(/`npm run ([a-z:]+)/g)]
        .map((match) => match[1] ?? "")
        .filter((name) => !Object.hasOwn(manifest.scripts, name))
        .map((name) => `${path}: npm run ${name}`),
    );
    expect(unknown).toEqual([]);
  });

  it("are all found from docs/README.md", () => {
    const index = readFileSync(join(ROOT, "docs/README.md"), "utf8");
    const pagesThere = readdirSync(join(ROOT, "docs"), { recursive: true, encoding: "utf8" })
      .filter((path) => path.endsWith(".md") && !path.startsWith("decisions") && path !== "README.md")
      .filter((path) => !index.includes(`](${path})`));
    expect(pagesThere).toEqual([]);
  });

  it("show only commands and options that exist", () => {
    const wrong = pages.flatMap((page) =>
      commandsShownIn(page).flatMap((line) => problemsOfCommand(line).map((problem) => `${page.path}: ${problem}`)),
    );
    expect(wrong).toEqual([]);
  });

  it("show only YAML that the code that reads it accepts", async () => {
    const wrong: string[] = [];
    for (const block of blocksIn("yaml")) {
      const problems = await problemsOfYaml(block);
      const isWrong = block.words.has("problem") ? problems.length === 0 : problems.length > 0;
      if (isWrong) wrong.push(`${placeOf(block)}: ${problems.join("; ") || "it has no problem"}`);
    }
    expect(wrong).toEqual([]);
  });

  it("show only JSON that is JSON", () => {
    for (const block of blocksIn("json")) expect(() => JSON.parse(block.text), placeOf(block)).not.toThrow();
  });

  it("import only what the packages export", () => {
    const wrong = [...blocksIn("js"), ...blocksIn("ts")].flatMap((block) =>
      [...block.text.matchAll(/import \{([^}]+)\} from "(sluice\/\w+)"/g)].flatMap(([, names = "", door = ""]) =>
        names
          .split(",")
          .map((name) => name.trim())
          .filter((name) => name !== "" && !name.startsWith("type ") && !Object.hasOwn(DOORS[door] ?? {}, name))
          .map((name) => `${placeOf(block)}: ${door} has no ${name}`),
      ),
    );
    expect(wrong).toEqual([]);
  });
});

describe("docs/operations.md", () => {
  const page = readFileSync(join(ROOT, "docs/operations.md"), "utf8");

  it("names every variable of the environment that the program reads, and no other", () => {
    const sources = readRepository().filter(({ path }) => /^src\/cli\/.*(?<!\.test)\.ts$/.test(path));
    const read = new Set(
      sources
        .flatMap(({ text }) => [...text.matchAll(/"((?:SLUICE|OTEL)_[A-Z_]+|DATABASE_URL|NO_COLOR)"/g)])
        .map(([, name]) => name),
    );
    const named = new Set(
      [...page.matchAll(/^\| `((?:SLUICE|OTEL)_[A-Z_]+|DATABASE_URL|NO_COLOR)`/gm)].map(([, name]) => name),
    );
    expect(named).toEqual(read);
  });
});
