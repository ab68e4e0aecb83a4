import { describe, expect, it } from "vitest";
import { type CallingNode, hostOf, nodeCallOf } from "./node-call.ts";

const node = (changes: Partial<CallingNode>): CallingNode => ({
  provider: "mcp",
  ownModel: null,
  model: null,
  message: "",
  stdin: null,
  inputs: {},
  ...changes,
});

describe("the call that a node is", () => {
  it.each<[string, Partial<CallingNode>, ReturnType<typeof nodeCallOf>]>([
    ["none of a model", { provider: "ai-sdk", message: "files/read" }, null],
    ["none without a provider", { provider: null }, null],
    [
      "a tool named by an input, with the other inputs",
      { inputs: { tool: "pay/refund", amount: 5 }, model: "x/y" },
      { name: "pay/refund", server: "pay", args: { amount: 5 } },
    ],
    [
      "a tool named by the model, with its arguments",
      { model: "pay/refund", message: "Refund it", inputs: { arguments: { amount: 5 }, note: "x" } },
      { name: "pay/refund", server: "pay", args: { amount: 5 } },
    ],
    [
      "a tool named by the first word, with the JSON in stdin",
      { message: " files/read now", stdin: '{"path":"/a"}' },
      { name: "files/read", server: "files", args: { path: "/a" } },
    ],
    ["a tool that cannot be called", { message: "read", stdin: "{" }, { name: "read", server: null, args: {} }],
    [
      "a target with a body",
      { provider: "http", inputs: { target: "billing", method: "PUT", body: { amount: 5 } } },
      { name: "billing", server: null, args: { method: "PUT", target: "billing", body: { amount: 5 } } },
    ],
    [
      "a target in a command, with what it is sent",
      { provider: "http", message: "POST billing", stdin: "hello", model: "gpt" },
      { name: "billing", server: null, args: { method: "POST", target: "billing", body: "hello" } },
    ],
    [
      "an address, by its host",
      { provider: "http", message: "GET https://Api.Example.com:443/a?b=1", inputs: { note: 1 } },
      {
        name: "api.example.com",
        server: null,
        args: { method: "GET", url: "https://Api.Example.com:443/a?b=1", inputs: { note: 1 } },
      },
    ],
    [
      "the model of the step before its words",
      { provider: "http", message: "Pay back", ownModel: "billing", model: "billing" },
      { name: "billing", server: null, args: { target: "billing" } },
    ],
    [
      "a program with its words",
      { provider: "process", message: "report  --year 2026" },
      { name: "report", server: null, args: { args: ["--year", "2026"] } },
    ],
    [
      "a program named by an input",
      { provider: "process", message: "Text", inputs: { command: "report", args: ["x"], year: 1 } },
      { name: "report", server: null, args: { args: ["x"], stdin: "Text", inputs: { year: 1 } } },
    ],
  ])("is %s", (_what, changes, expected) => {
    expect(nodeCallOf(node(changes))).toEqual(expected);
  });

  it.each([
    ["http://a.example:80/x", "a.example"],
    ["http://a.example:443/x", "a.example:443"],
    ["https://a.example.:8443#x", "a.example:8443"],
    ["https://a.example.?x", "a.example"],
    ["http://[::1]:80/", "[::1]"],
    ["https://good.example\\@evil.example/", "good.example"],
  ])("%s is named %s", (address, host) => {
    expect(hostOf(address)).toBe(host);
  });
});
