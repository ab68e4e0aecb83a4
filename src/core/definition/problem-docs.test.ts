import { expect, it } from "vitest";
import { PROBLEM_CODES, WARNING_CODES } from "../base/index.ts";
import { PROBLEM_DOCS, renderProblemDocs } from "./index.ts";

it("explains every code in one line", () => {
  const codes = [...PROBLEM_CODES, ...WARNING_CODES];
  expect(Object.keys(PROBLEM_DOCS).sort()).toEqual([...codes].sort());
  for (const code of codes) {
    const { summary, fix } = PROBLEM_DOCS[code];
    expect(summary).toMatch(/^\S[^\n|]*\.$/);
    expect(fix).toMatch(/^\S[^\n|]*\.$/);
  }
});

it("prints a page with a row for each", () => {
  const page = renderProblemDocs();
  for (const code of [...PROBLEM_CODES, ...WARNING_CODES]) expect(page).toContain(`| \`${code}\` |`);
  expect(page.endsWith("|\n")).toBe(true);
});
