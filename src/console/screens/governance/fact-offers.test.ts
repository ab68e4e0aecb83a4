import { describe, expect, it } from "vitest";
import { factOffers } from "./fact-offers.ts";

const pathsFor = (category: string): readonly string[] => factOffers({ category }).map(({ path }) => path);

describe("facts offered to conditions", () => {
  it("are those of the category, each once", () => {
    const paths = pathsFor("guardrail");
    expect(paths).toContain("node.action");
    expect(paths).toContain("agent.trust_level");
    expect(paths).toContain("budget.ratio");
    expect(paths).not.toContain("agent.trustLevel");
    expect(new Set(paths).size).toBe(paths.length);
  });

  it("are of the tool for calls of tools, and of the run before there is one", () => {
    expect(pathsFor("tool")).toContain("tool.args");
    expect(pathsFor("tool")).not.toContain("budget.ratio");
    expect(new Set(pathsFor("run_creation").map((path) => path.split(".")[0]))).toEqual(new Set(["run"]));
  });
});
