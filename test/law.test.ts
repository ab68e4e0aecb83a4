import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { compareCodeUnits } from "../src/core/base/index.ts";
import {
  areaRule,
  bannedWords,
  deadFiles,
  doorlessRooms,
  edgeRule,
  HOMONYMS,
  importRule,
  isTest,
  nameRule,
  plainRule,
  purityRule,
  sizeRule,
  textRule,
  wholeSuiteRule,
  wordRule,
  type Breach,
  type Rule,
} from "./law/rules.ts";
import { exportedNamesRule, meaningsOf, TWO_MEANINGS } from "./law/exported-names.ts";
import { areaOf, CONSOLE_AREAS } from "./law/console-areas.ts";
import { roomsInArchitecture, ROOMS } from "./law/rooms.ts";
import { identifiersOf, importsOf, readRepository, REPOSITORY, sourceFile, wordsOf } from "./law/source.ts";

/** Breaches that are allowed, each with its reason. An entry nothing matches any more is itself a breach. */
const EXCEPTIONS: Readonly<Record<string, string>> = {};

const written = readRepository();
const files = written
  .filter(({ path }) => /\.(?:ts|tsx|mjs)$/.test(path))
  .map(({ path, text }) => sourceFile(path, text));
const sources = files.filter(({ path }) => path.startsWith("src/"));
const read = (path: string): string => readFileSync(join(REPOSITORY, path), "utf8");
const glossary = read("docs/glossary.md");

function unexcused(breaches: readonly Breach[]): Breach[] {
  return breaches.filter((text) => !Object.hasOwn(EXCEPTIONS, text));
}

const everyRule = (): Breach[] => [
  ...sources.flatMap(importRule),
  ...sources.flatMap(areaRule),
  ...sources.flatMap(purityRule),
  ...sources.flatMap(edgeRule),
  ...files.flatMap(sizeRule),
  ...files.flatMap(nameRule),
  ...files.flatMap(wholeSuiteRule),
  ...sources.filter(({ path }) => !isTest(path)).flatMap(wordRule(glossary)),
  ...sources.filter(({ path }) => !isTest(path)).flatMap(plainRule),
  ...written.flatMap(({ path, text }) => textRule(path, text)),
  ...deadFiles(files),
  ...exportedNamesRule(sources),
  ...doorlessRooms(sources.map(({ path }) => path)),
];

describe("the law", () => {
  it("finds the sources it judges", () => {
    expect(sources.length).toBeGreaterThan(20);
    expect(importsOf(sourceFile("src/core/engine/state.ts", read("src/core/engine/state.ts"))).length).toBeGreaterThan(
      3,
    );
  });

  it("lets rooms import only what the table allows, through doors", () => {
    expect(unexcused(sources.flatMap(importRule))).toEqual([]);
  });

  it("lets areas of the console import only what their table allows", () => {
    expect(unexcused(sources.flatMap(areaRule))).toEqual([]);
    const areas = new Set(sources.map(({ path }) => areaOf(path)).filter((area) => area !== null));
    expect(Object.keys(CONSOLE_AREAS).filter((area) => !areas.has(area))).toEqual([]);
  });

  it("keeps core pure", () => {
    expect(unexcused(sources.flatMap(purityRule))).toEqual([]);
  });

  it("keeps terminal and environment at the edge", () => {
    expect(unexcused(sources.flatMap(edgeRule))).toEqual([]);
  });

  it("holds files to 300 lines, and the linter functions to 70", () => {
    expect(unexcused(files.flatMap(sizeRule))).toEqual([]);
    const lint = JSON.parse(read(".oxlintrc.json")) as { rules: Record<string, unknown> };
    expect(lint.rules["max-lines-per-function"]).toEqual(["error", { max: 70 }]);
    expect(lint.rules["max-lines"]).toEqual(["error", { max: 300 }]);
  });

  it("names files in kebab-case and keeps no drawers", () => {
    expect(unexcused(files.flatMap(nameRule))).toEqual([]);
  });

  it("leaves no test out", () => {
    expect(unexcused(files.flatMap(wholeSuiteRule))).toEqual([]);
  });

  it("uses one word per concept", () => {
    const rule = wordRule(glossary);
    expect(unexcused(sources.filter(({ path }) => !isTest(path)).flatMap(rule))).toEqual([]);
  });

  it("gives a name that others see one meaning", () => {
    expect(unexcused(exportedNamesRule(sources))).toEqual([]);
    const several = meaningsOf(sources);
    expect(Object.keys(TWO_MEANINGS).filter((name) => !several.has(name))).toEqual([]);
  });

  it("says it plainly", () => {
    expect(unexcused(sources.filter(({ path }) => !isTest(path)).flatMap(plainRule))).toEqual([]);
  });

  it("leaves nothing for later and names no workplace", () => {
    expect(unexcused(written.flatMap(({ path, text }) => textRule(path, text)))).toEqual([]);
  });

  it("has no dead files and no room without a door", () => {
    expect(unexcused([...deadFiles(files), ...doorlessRooms(sources.map(({ path }) => path))])).toEqual([]);
  });

  it("is the table that ARCHITECTURE.md shows", () => {
    const shown = roomsInArchitecture(read("ARCHITECTURE.md"));
    const held = new Map(Object.entries(ROOMS).map(([room, law]) => [room, [...law.rooms]]));
    const sorted = (table: Map<string, string[]>): [string, string[]][] =>
      [...table]
        .map(([room, rooms]): [string, string[]] => [room, rooms.toSorted(compareCodeUnits)])
        .sort(([left], [right]) => compareCodeUnits(left, right));
    expect(sorted(shown)).toEqual(sorted(held));
  });

  it("excuses nothing that no longer happens", () => {
    const breaches = new Set(everyRule());
    expect(Object.keys(EXCEPTIONS).filter((text) => !breaches.has(text))).toEqual([]);
  });

  it("excuses no homonym that is not used", () => {
    const used = new Set(sources.flatMap((file) => [...identifiersOf(file).keys()]));
    expect(Object.keys(HOMONYMS).filter((word) => !used.has(word))).toEqual([]);
  });
});

describe("the scanner", () => {
  const code = (text: string): string => sourceFile("src/core/base/x.ts", text).code;

  it("blanks comments and strings, keeps code and line ends", () => {
    expect(code('a; // Date\n/* Date\n*/ b("Date")')).toBe(`a; ${" ".repeat(7)}\n${" ".repeat(7)}\n   b("    ")`);
    expect(code("'it\\'s' + x")).toBe("'     ' + x");
  });

  it("keeps the expressions inside templates, however deep", () => {
    expect(code("`a ${b({ c: `d ${e}` })} f` + g")).toBe("`  ${b({ c: `  ${e}` })}  ` + g");
  });

  it("tells patterns from divisions", () => {
    expect(code("x = /Date[/]'/.test(y)")).toBe(`x = /${" ".repeat(8)}/.test(y)`);
    expect(code("a / Date / b")).toBe("a / Date / b");
    expect(code("return /Date/")).toBe("return /    /");
  });

  it("reads every kind of import", () => {
    const text = [
      'import a from "zod";',
      'import type { B } from "../base/json.ts";',
      "import {\n  c,\n} from './c.ts';",
      'export * from "./d.ts";',
      'export type { E } from "../e/index.ts";',
      'const f = import("node:fs");',
      'import "./g.ts";',
      'export const h = "./not-imported.ts";',
      'const i = ["from", "./neither.ts"];',
    ].join("\n");
    expect(importsOf(sourceFile("src/core/view/x.ts", text)).map(({ specifier }) => specifier)).toEqual([
      "zod",
      "../base/json.ts",
      "./c.ts",
      "./d.ts",
      "../e/index.ts",
      "node:fs",
      "./g.ts",
    ]);
  });

  it("cuts identifiers into words", () => {
    expect(wordsOf("nodeRunState")).toEqual(["node", "run", "state"]);
    expect(wordsOf("MAX_HTTPBodyBytes")).toEqual(["max", "http", "body", "bytes"]);
  });

  it("reads the last column of the glossary", () => {
    expect(bannedWords("| Word | Means | Not |\n|---|---|---|\n| a | b | flow, sign off |\n| c | d | |")).toEqual([
      ["flow"],
      ["sign", "off"],
    ]);
    expect(bannedWords(glossary).length).toBeGreaterThan(10);
  });
});

describe("every rule fires on a planted breach", () => {
  const on = (rule: Rule, path: string, text: string): Breach[] => rule(sourceFile(path, text));
  const words = wordRule(glossary);

  it.each<[string, Rule, string, string]>([
    ["upward import", importRule, "src/core/base/x.ts", 'import { a } from "../plan/index.ts";'],
    ["core importing driver", importRule, "src/core/view/x.ts", 'import { a } from "../../driver/index.ts";'],
    ["bridge importing driver", importRule, "src/bridge/x.ts", 'import { a } from "../driver/index.ts";'],
    ["past the door", importRule, "src/core/view/x.ts", 'import type { A } from "../event/event.ts";'],
    ["past the door from a test", importRule, "src/core/view/x.test.ts", 'import { a } from "../plan/plan.ts";'],
    ["foreign package", importRule, "src/core/base/x.ts", 'import { z } from "zod";'],
    ["scoped foreign package", importRule, "src/core/plan/x.ts", 'import { a } from "@noble/hashes/sha2.js";'],
    ["Node in core", importRule, "src/core/base/x.ts", 'import { a } from "node:fs";'],
    ["lazy Node in core", importRule, "src/core/base/x.ts", 'const a = import("node:fs");'],
    ["import without extension", importRule, "src/core/base/x.ts", 'import { a } from "./y";'],
    ["file in no room", importRule, "src/loose.ts", ""],
    ["unknown room", importRule, "src/attic/x.ts", ""],
    ["part importing a screen", areaRule, "src/console/parts/x.tsx", 'import { a } from "../screens/runs/runs.tsx";'],
    [
      "screen importing the app",
      areaRule,
      "src/console/screens/runs/x.tsx",
      'import { a } from "../../app/shell.tsx";',
    ],
    ["screen importing another", areaRule, "src/console/screens/runs/x.tsx", 'import { a } from "../run/run.tsx";'],
    ["style of another screen", areaRule, "src/console/screens/runs/x.tsx", 'import "../run/run.css";'],
    [
      "script of another area",
      areaRule,
      "src/console/parts/x.ts",
      'new Worker(new URL("../live/shared-script.ts", a));',
    ],
    ["unknown area of the console", areaRule, "src/console/attic/x.ts", ""],
    ["clock", purityRule, "src/core/base/x.ts", "const now = Date.now();"],
    ["chance", purityRule, "src/core/base/x.ts", "const a = Math.random();"],
    ["timer", purityRule, "src/core/base/x.ts", "setTimeout(f, 1);"],
    ["environment inside a template", purityRule, "src/core/base/x.ts", "const a = `${process.env}`;"],
    ["locale", purityRule, "src/core/base/x.ts", "a.localeCompare(b);"],
    ["locale text", purityRule, "src/core/base/x.ts", "a.toLocaleLowerCase();"],
    ["waiting", purityRule, "src/core/base/x.ts", "export async function f() {}"],
    ["promise", purityRule, "src/core/base/x.ts", "type A = Promise<void>;"],
    ["code from text", purityRule, "src/core/base/x.ts", "new Function(text)"],
    ["pattern from text", purityRule, "src/core/base/x.ts", "new RegExp(text)"],
    ["pattern from a template", purityRule, "src/core/base/x.ts", "new RegExp(`^${text}$`)"],
    ["in on data", purityRule, "src/core/base/x.ts", "if (key in data) f();"],
    ["for in", purityRule, "src/core/base/x.ts", "for (const key in data) f();"],
    ["console in a library room", edgeRule, "src/driver/x.ts", 'console.log("a");'],
    ["environment in a library room", edgeRule, "src/bridge/x.ts", "const a = process.env;"],
    ["long file", sizeRule, "src/core/base/x.ts", "a;\n".repeat(301)],
    ["camel-case file", nameRule, "src/core/base/runState.ts", ""],
    ["drawer", nameRule, "src/core/utils/x.ts", ""],
    ["only", wholeSuiteRule, "src/core/base/x.test.ts", 'it.only("a", f);'],
    ["skip", wholeSuiteRule, "src/core/base/x.test.ts", 'describe.skip("a", f);'],
    ["left for later", wholeSuiteRule, "src/core/base/x.test.ts", 'test.todo("a");'],
    ["conditional", wholeSuiteRule, "src/core/base/x.test.ts", 'it.skipIf(a)("b", f);'],
    ["x form", wholeSuiteRule, "src/core/base/x.test.ts", 'xit("a", f);'],
    ["banned word", words, "src/core/base/x.ts", "const taskCount = 1;"],
    ["banned plural", words, "src/core/base/x.ts", "const activities = [];"],
    ["banned word in a type", words, "src/core/base/x.ts", "interface RunPipeline {}"],
    ["banned phrase", words, "src/core/base/x.ts", "const signOff = 1;"],
    ["riddle in a comment", plainRule, "src/core/base/x.ts", "// Whoever asks."],
    ["riddle of two words", plainRule, "src/core/base/x.ts", "// Lets go of the lease."],
    ["riddle in a message", plainRule, "src/core/base/x.ts", 'const a = "mend it";'],
    ["riddle as a name", plainRule, "src/core/base/x.ts", "const isTold = true;"],
    ["riddle as a type", plainRule, "src/core/base/x.ts", "interface CallerDesk {}"],
    ["riddle as a constant", plainRule, "src/core/base/x.ts", "const TOLD_MAX = 1;"],
    ["riddle at the beginning of a name", plainRule, "src/core/base/x.ts", "const toldBy = 1;"],
    ["riddle of two words as a name", plainRule, "src/core/base/x.ts", "letGo();"],
    ["riddle of two words inside a name", plainRule, "src/core/base/x.ts", "const mayGoOnWith = 1;"],
    ["riddle of two words as a constant", plainRule, "src/core/base/x.ts", "const CARRY_ON_MS = 1;"],
  ])("%s", (_, rule, path, text) => {
    expect(on(rule, path, text)).toHaveLength(1);
  });

  it.each<[string, Rule, string, string]>([
    [
      "word that only contains a riddle",
      plainRule,
      "src/core/base/x.ts",
      "const desktop = recommended(stale, toldest, outletGoods, handsInside, HEARTBEAT);",
    ],
    ["import of the own room", importRule, "src/core/view/x.ts", 'import { a } from "./y.ts";'],
    ["import through the door", importRule, "src/core/view/x.ts", 'import { a } from "../event/index.ts";'],
    ["core from outside", importRule, "src/cli/x.ts", 'import { a } from "../core/plan/index.ts";'],
    ["Node in the bridge", importRule, "src/bridge/x.ts", 'import { a } from "node:http";'],
    ["any room from a test", importRule, "src/core/base/x.test.ts", 'import { a } from "../plan/index.ts";'],
    [
      "screen importing a part",
      areaRule,
      "src/console/screens/runs/x.tsx",
      'import { a } from "../../parts/table.tsx";',
    ],
    ["folder of the same screen", areaRule, "src/console/screens/run/x.tsx", 'import { a } from "./panel/gates.tsx";'],
    ["app importing a screen", areaRule, "src/console/app/x.ts", 'const a = import("../screens/runs/runs.tsx");'],
    ["core from a part", areaRule, "src/console/parts/x.ts", 'import { a } from "../../core/base/index.ts";'],
    ["property called process", purityRule, "src/core/base/x.ts", "a.process(b);"],
    ["words in comments and strings", purityRule, "src/core/base/x.ts", '// Date\nconst a = "async";'],
    ["mapped type", purityRule, "src/core/base/x.ts", "type A = { [K in B]: C };"],
    ["literal pattern", purityRule, "src/core/base/x.ts", 'new RegExp("a+")'],
    ["pattern of constants", purityRule, "src/core/base/x.ts", "new RegExp(`^${WORD}$`)"],
    ["union told apart", purityRule, "src/core/base/x.ts", 'if ("count" in tolerate) f();'],
    ["clock outside core", purityRule, "src/driver/x.ts", "Date.now();"],
    ["console in the program", edgeRule, "src/cli/x.ts", 'console.log("a");'],
    ["300 lines", sizeRule, "src/core/base/x.ts", "a;\n".repeat(300)],
    ["long test", sizeRule, "src/core/base/x.test.ts", "a;\n".repeat(301)],
    ["property test name", nameRule, "src/core/base/run-state.property.test.ts", ""],
    ["each", wholeSuiteRule, "src/core/base/x.test.ts", 'it.each([1])("a", f);'],
    ["word inside a word", words, "src/core/base/x.ts", "const overflow = workflowBottom;"],
    ["homonym", words, "src/core/base/x.ts", "const FLOW_END = 1;"],
  ])("and stays silent on: %s", (_, rule, path, text) => {
    expect(on(rule, path, text)).toEqual([]);
  });

  it("unfinished work, machine paths and section signs, in any file", () => {
    const planted = ["a TODO b", "FIXME", "see /home/ann/notes", "by §7"];
    for (const text of planted) expect(textRule("docs/x.md", text), text).toHaveLength(1);
    expect(textRule("docs/x.md", "GET /api/v1/runs, https://example.org/home/x, a/home/b")).toEqual([]);
  });

  it("dead files and rooms without a door", () => {
    const alive = sourceFile("src/core/base/index.ts", 'export * from "./a.ts";');
    const planted = ["a", "b"].map((name) => sourceFile(`src/core/base/${name}.ts`, ""));
    const test = sourceFile("src/core/base/b.test.ts", 'import "./b.ts";');
    expect(deadFiles([alive, ...planted, test])).toEqual([expect.stringContaining("src/core/base/b.ts")]);
    expect(doorlessRooms(["src/core/plan/plan.ts"])).toHaveLength(1);
    expect(doorlessRooms(["src/core/plan/index.ts", "src/cli/main.ts"])).toEqual([]);
  });

  it("one name for two things, at doors and within a folder", () => {
    const found = (texts: Record<string, string>): Breach[] =>
      exportedNamesRule(Object.entries(texts).map(([path, text]) => sourceFile(`src/${path}`, text)));
    const things = { "a/x.ts": "export interface Thing {}", "b/y.ts": "export type Thing = 1;" };
    expect(found(things)).toEqual([]);
    expect(
      found({ ...things, "a/index.ts": 'export * from "./x.ts";', "b/index.ts": 'export { Thing } from "./y.ts";' }),
    ).toHaveLength(1);
    expect(found({ "a/x.ts": "export const thing = 1;", "a/y.ts": "export function thing() {}" })).toHaveLength(1);
    const handedOn = 'import type { Thing } from "../a/index.ts";\nexport type { Thing };';
    expect(
      found({
        "a/x.ts": things["a/x.ts"],
        "a/index.ts": 'export { type Thing } from "./x.ts";',
        "b/index.ts": handedOn,
      }),
    ).toEqual([]);
  });

  it("a table that differs from the picture", () => {
    const shown = roomsInArchitecture("| `core/a`, `core/b` | things | base, plan (types) |\n| `c` | x | nothing |");
    expect([...shown]).toEqual([
      ["core/a", ["core/base", "core/plan"]],
      ["core/b", ["core/base", "core/plan"]],
      ["c", []],
    ]);
  });
});
