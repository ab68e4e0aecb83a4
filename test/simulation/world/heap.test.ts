import { array, assert, nat, property } from "fast-check";
import { expect, it } from "vitest";
import { Heap } from "./heap.ts";

it("gives things back by moment, and equal moments in the order they were planned", () => {
  assert(
    property(array(nat({ max: 9 })), (moments) => {
      const heap = new Heap<number>();
      moments.forEach((at, order) => heap.push(at, order));
      const given: { readonly at: number; readonly order: number }[] = [];
      for (let next = heap.pop(); next !== undefined; next = heap.pop()) given.push({ at: next.at, order: next.item });
      const expected = moments.map((at, order) => ({ at, order }));
      expected.sort((left, right) => left.at - right.at || left.order - right.order);
      expect(given).toEqual(expected);
    }),
  );
});
