import { existsSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";
import { DRIVER_FAULTS } from "./faults.ts";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));

// That the tests notice them is for `npm run faults`, which takes minutes.
it.each(DRIVER_FAULTS)("can be planted: $bug", ({ file, right, wrong, caughtBy }) => {
  const source = readFileSync(`${ROOT}src/driver/${file}`, "utf8");
  expect(source.split(right)).toHaveLength(2);
  expect(wrong).not.toBe(right);
  expect(existsSync(`${ROOT}${caughtBy}`)).toBe(true);
});
