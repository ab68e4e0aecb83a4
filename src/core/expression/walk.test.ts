import { describe, expect, it } from "vitest";
import type { Json } from "../base/index.ts";
import { walk } from "./walk.ts";

const hostile: Json = JSON.parse('{"__proto__": {"a": 1}, "constructor": "own"}');

describe("walk", () => {
  it.each<[Json | undefined, (string | number)[], Json | undefined]>([
    [{ a: { b: [1, { c: null }] } }, ["a", "b", 1, "c"], null],
    [{ a: 1 }, [], { a: 1 }],
    [undefined, [], undefined],
    [undefined, ["a"], undefined],
    [null, ["a"], undefined],
    [null, [], null],
    [{ a: 1 }, ["b"], undefined],
    [{ a: null }, ["a", "b"], undefined],
    [[1, 2], ["length"], 2],
    [[], ["length"], 0],
    ["", ["length"], 0],
    ["häß", ["length"], 3],
    ["a🙂b", ["length"], 3],
    ["\ud83d", ["length"], 1],
    ["\ud83da\ude42", ["length"], 3],
    [{ a: 1 }, ["length"], undefined],
    [{ length: "own" }, ["length"], "own"],
    [5, ["length"], undefined],
    [[1, 2], [2], undefined],
    [[1, 2], [4_000_000_000], undefined],
    [[1, 2], ["0"], undefined],
    ["text", [0], undefined],
    [{ 0: "a" }, [0], undefined],
    [{ 0: "a" }, ["0"], "a"],
    [{}, ["constructor"], undefined],
    [{}, ["__proto__"], undefined],
    [{}, ["toString"], undefined],
    [[], ["map"], undefined],
    [[], ["constructor", "constructor"], undefined],
    ["text", ["constructor"], undefined],
    [true, ["valueOf"], undefined],
    [hostile, ["__proto__", "a"], 1],
    [hostile, ["constructor"], "own"],
    [hostile, ["a"], undefined],
  ])("%j at %j is %j", (value, rest, found) => {
    expect(walk(value, rest)).toEqual(found);
  });
});
