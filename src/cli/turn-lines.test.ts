import { expect, it } from "vitest";
import type { RunEvent } from "../core/event/index.ts";
import { TurnLines } from "./turn-lines.ts";

it("the line of a tool call names the person who gave its result", () => {
  const lines = new TurnLines();
  const plain = (_colour: string, text: string): string => text;
  const event = (type: string, payload: object): RunEvent =>
    ({ type, payload: { nodeId: "help", callId: "c1", ...payload } }) as unknown as RunEvent;
  expect(lines.lineOf(event("tool.requested", { tool: "refund", args: {} }), plain)).toBeNull();
  const completed = event("tool.completed", { result: { paid: true }, isError: false, by: "Ann" });
  expect(lines.lineOf(completed, plain)).toBe('    refund returned {"paid":true} (given by Ann)');
});
