import { expect, it } from "vitest";
import type { InboxItem } from "../../../client/index.ts";
import { differencesOf } from "./differences.ts";

const item = (id: string, args: object, message: string): InboxItem =>
  ({ id, title: "Pay it?", subject: { args, request: { message }, costMicros: 0, estimateMicros: null } }) as InboxItem;

it("shows a column for each value that differs, and none for what is the same", () => {
  const { names, values } = differencesOf([
    item("a", { to: "ann", amount: 5, currency: "EUR" }, "pay ann 5"),
    item("b", { to: "bob", amount: 5, currency: "EUR", note: "x".repeat(200) }, "pay bob 5"),
  ]);
  expect(names).toEqual(["to", "note", "What is sent"]);
  expect(values.get("a")).toEqual(["ann", "null", "pay ann 5"]);
  expect(values.get("b")).toEqual(["bob", `${"x".repeat(160)} …`, "pay bob 5"]);
});
