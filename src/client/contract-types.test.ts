import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";

const FOLDERS = ["src/client", "src/console", "src/browser"];

it("imports only types of the contract, so that no page loads its validator", () => {
  const found: string[] = [];
  for (const folder of FOLDERS) {
    for (const path of readdirSync(folder, { recursive: true, encoding: "utf8" })) {
      if (!/\.tsx?$/.test(path) || path.includes(".test.")) continue;
      const text = readFileSync(join(folder, path), "utf8");
      for (const [statement] of text.matchAll(/^(?:import|export)\b[^;]*contract\/index\.ts";/gm)) {
        found.push(`${join(folder, path)}: ${statement.split(" ").slice(0, 2).join(" ")}`);
      }
    }
  }
  expect(found.length).toBeGreaterThan(3);
  expect(found.filter((line) => !/: (?:import|export) type$/.test(line))).toEqual([]);
});
