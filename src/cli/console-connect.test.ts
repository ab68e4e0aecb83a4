import { describe, expect, it } from "vitest";
import { readConsoleConnect } from "./console-connect.ts";
import { Refusal } from "./refusal.ts";

const read = (SLUICE_CONSOLE_CONNECT: string) => readConsoleConnect({ env: { SLUICE_CONSOLE_CONNECT } });

describe("whom the console may call", () => {
  it.each([
    ["", []],
    [" , ", []],
    ["https://api.example.com", ["https://api.example.com"]],
    [
      "https://api.example.com/, http://localhost:11434 ,https://api.example.com",
      ["https://api.example.com", "http://localhost:11434"],
    ],
    ["http://[::1]:8080", ["http://[::1]:8080"]],
  ])("%j: %j", (written, origins) => {
    expect(read(written)).toEqual(origins);
  });

  it.each([
    "api.example.com",
    "http://api.example.com",
    "https://api.example.com/v1",
    "https://u:p@api.example.com",
    "https://*.example.com",
    "https://api.example.com; script-src *",
    "https:",
    "ws://localhost:1",
    "*",
  ])("%j is refused", (written) => {
    expect(() => read(written)).toThrow(Refusal);
  });

  it("is none by default", () => {
    expect(readConsoleConnect({ env: {} })).toEqual([]);
  });
});
