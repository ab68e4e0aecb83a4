import { describe, expect, it } from "vitest";
import { hashText, Prng } from "./prng.ts";

describe("Prng", () => {
  it("gives the same numbers for the same seed, for ever", () => {
    const rng = new Prng(7);
    expect([rng.next(), rng.next(), rng.next()]).toEqual([3553425365, 1812963900, 2283320382]);
  });

  it("gives forks that do not depend on what was drawn before", () => {
    const fresh = new Prng(7).fork("x").next();
    const used = new Prng(7);
    used.next();
    expect(used.fork("x").next()).toBe(fresh);
    expect(used.fork("y").next()).not.toBe(fresh);
  });

  it("stays within its bounds", () => {
    const rng = new Prng(1);
    for (let turn = 0; turn < 10_000; turn += 1) {
      const value = rng.between(3, 5);
      expect(value >= 3 && value <= 5).toBe(true);
    }
  });

  it("hashes by code unit", () => {
    expect(hashText("ab")).not.toBe(hashText("ba"));
    expect(hashText("")).toBe(hashText(""));
  });
});
