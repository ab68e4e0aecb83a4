import { expect, it } from "vitest";
import type { RunEvent } from "../core/event/index.ts";
import { TurnLines } from "./turn-lines.ts";

const plain = (_colour: string, text: string): string => text;
const event = (type: string, payload: object): RunEvent =>
  ({ type, payload: { nodeId: "help", callId: "c1", ...payload } }) as unknown as RunEvent;

it("the line of a tool call that may have been made has the args it was approved with", () => {
  const lines = new TurnLines();
  lines.lineOf(event("tool.requested", { tool: "refund", args: { amount: 900 } }), plain);
  const allowed = event("tool.decided", { disposition: "allow", args: { amount: 450 } });
  expect(lines.lineOf(allowed, plain)).toBe('    refund {"amount":450} allowed, changed');
  const unknown = event("tool.decided", { disposition: "hold", isUnknown: true });
  expect(lines.lineOf(unknown, plain)).toContain('refund {"amount":450} may have been made');
});

it("the line of a tool call names the person who gave its result", () => {
  const lines = new TurnLines();
  expect(lines.lineOf(event("tool.requested", { tool: "refund", args: {} }), plain)).toBeNull();
  const completed = event("tool.completed", { result: { paid: true }, isError: false, by: "Ann" });
  expect(lines.lineOf(completed, plain)).toBe('    refund returned {"paid":true} (given by Ann)');
});
