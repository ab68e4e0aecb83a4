import { expect, it } from "vitest";
import { inOrder } from "./in-order.ts";

it("runs work in order, and goes on after a failure, which it reports", async () => {
  const seen: unknown[] = [];
  const run = inOrder((failure) => seen.push(failure));
  let finish: () => void = () => undefined;
  void run(
    () =>
      new Promise<void>((resolve) => {
        finish = () => {
          seen.push("first");
          resolve();
        };
      }),
  );
  void run(() => Promise.reject(new Error("broken")));
  const last = run(() => {
    seen.push("last");
    return Promise.resolve();
  });
  await Promise.resolve();
  finish();
  await last;
  expect(seen).toEqual(["first", new Error("broken"), "last"]);
});
