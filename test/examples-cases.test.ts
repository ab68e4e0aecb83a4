import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { checkSource } from "../src/core/plan/index.ts";
import { REPOSITORY } from "./law/source.ts";
import { type Case, firstOutOfOrder, playCase, readCases } from "./own/cases.ts";

const FOLDERS = ["patterns", "from-others"] as const;
const pathOf = (folder: string, file = ""): string => join(REPOSITORY, "examples", folder, file);
const read = (folder: string, file: string): string => readFileSync(pathOf(folder, file), "utf8");
const patternsPage = readFileSync(join(REPOSITORY, "docs", "patterns.md"), "utf8");

function nameIn(source: string): string {
  return /^name: (\S+)$/m.exec(source)?.[1] ?? "";
}

async function judge(source: string, children: Readonly<Record<string, string>>, given: Case): Promise<void> {
  const { status, error, outputs, nodes, order = [], never_called: never = [], in_flight_max: most } = given.expect;
  const result = await playCase(source, children, given);
  expect(result, result.happened.join("\n")).toMatchObject({
    status,
    ...(error === undefined ? {} : { error }),
    ...(outputs === undefined ? {} : { outputs }),
    ...(nodes === undefined ? {} : { nodes }),
    ...(most === undefined ? {} : { inFlightMax: most }),
  });
  expect(firstOutOfOrder(result.happened, order), result.happened.join("\n")).toBeNull();
  expect(never.filter((id) => result.happened.includes(`${id} started`))).toEqual([]);
}

describe.each(FOLDERS)("examples/%s", (folder) => {
  const files = readdirSync(pathOf(folder));
  const workflows = files.filter((file) => file.endsWith(".lobsterX"));
  const withCases = files.filter((file) => file.endsWith(".cases.yaml"));
  const casesOf = (file: string) => readCases(read(folder, file));
  const children = Object.fromEntries(workflows.map((file) => [nameIn(read(folder, file)), read(folder, file)]));

  it("say what they show and how to run them, and each has cases or is the child of another", () => {
    const known = new Set(withCases.map((file) => casesOf(file).workflow));
    for (const file of workflows) {
      const source = read(folder, file);
      expect(source, file).toMatch(/^# Shows: \S/);
      expect(source, file).toContain(`\n# Run:   bin/sluice run examples/${folder}/${file}`);
      const isChild = workflows.some((other) => read(folder, other).includes(`workflow_ref: ${nameIn(source)}\n`));
      expect(known.has(file) || isChild, file).toBe(true);
    }
  });

  it.each(workflows)("%s has no problem and no warning", (file) => {
    const { problems, warnings } = checkSource(read(folder, file), { library: null, lenses: null, workflows: null });
    expect([...problems, ...warnings]).toEqual([]);
  });

  for (const { workflow, cases } of withCases.map(casesOf))
    for (const given of cases) it(`${workflow}: ${given.name}`, () => judge(read(folder, workflow), children, given));
});

describe("the page of patterns", () => {
  it("has all 43, each with its file", () => {
    const numbers = [...patternsPage.matchAll(/^\| (\d+) \|.*\| \[\d\d\]/gm)].map((match) => Number(match[1]));
    numbers.sort((left, right) => left - right);
    expect(numbers).toEqual(Array.from({ length: 43 }, (_, index) => index + 1));
    const linked = [...patternsPage.matchAll(/examples\/patterns\/(\d\d)-/g)].map((match) => Number(match[1]));
    expect(new Set(linked).size).toBe(43);
  });
});

describe("workflows of others", () => {
  it("name what they come from, its licence, and what differs", () => {
    const files = readdirSync(pathOf("from-others")).filter((file) => file.endsWith(".cases.yaml"));
    expect(files.length).toBeGreaterThanOrEqual(20);
    for (const file of files) {
      const source = read("from-others", readCases(read("from-others", file)).workflow);
      expect(source, file).toMatch(/^# From: {2}\S.*\((?:Apache-2\.0|MIT|GPL-3\.0|[A-Z]\S.*)\)$/m);
      expect(source, file).toMatch(/^# Here: {2}\S/m);
    }
  });
});
