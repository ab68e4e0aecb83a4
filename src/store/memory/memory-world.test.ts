import { expect, it } from "vitest";
import { keep } from "./memory-world.ts";

it("keeps some elements of a list of any length, in their order", () => {
  const list = Array.from({ length: 400_000 }, (_, index) => index);
  keep(list, (value) => value % 2 === 1);
  expect([list.length, list[0], list.at(-1)]).toEqual([200_000, 1, 399_999]);
});
