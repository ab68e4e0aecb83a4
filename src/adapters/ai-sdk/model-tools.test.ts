import { describe, expect, it } from "vitest";
import type { Json } from "../../core/base/index.ts";
import { ModelTools, TOOL_RESULT_BYTES_MAX, type ModelTool } from "./model-tools.ts";
import { loadSdk } from "./sdk.ts";
import { Transcript } from "./transcript.ts";

const { signal } = new AbortController();
const tool = (answer: Json): ModelTool => ({ inputSchema: { type: "object" }, execute: () => Promise.resolve(answer) });
const CALL = { callId: "c", round: 0, position: 0, args: {} };

async function ask(tools: ModelTools, name: string): Promise<string> {
  const { tool, server } = tools.callOf({ id: "1", name, input: {} });
  const result = await tools.run({ ...CALL, tool, ...(server === undefined ? {} : { server }) }, signal);
  return typeof result === "string" ? result : JSON.stringify(result);
}

describe("ModelTools", () => {
  it("gives every tool a name vendors take, apart from all others", async () => {
    const long = "x".repeat(80);
    const names = ["maps/weather", "maps__weather", "maps_/weather", "__proto__", "", "é", long, `${long}y`];
    const tools = new ModelTools(Object.fromEntries(names.map((name) => [name, tool(name)])));
    const offered = Object.keys(tools.toolSet(await loadSdk()));
    expect(offered).toHaveLength(names.length);
    for (const name of offered) expect(name).toMatch(/^[A-Za-z0-9_-]{1,64}$/);
    expect(offered).toContain("tool___proto__");
    const answers = await Promise.all(offered.map((name) => ask(tools, name)));
    expect(answers).toEqual(names);
  });

  it.each([
    [TOOL_RESULT_BYTES_MAX - 1, false],
    [TOOL_RESULT_BYTES_MAX, false],
    [TOOL_RESULT_BYTES_MAX + 1, true],
  ])("takes a result of %i bytes, cut: %s", async (bytes, isCut) => {
    const text = await ask(new ModelTools({ a: tool("x".repeat(bytes)) }), "a");
    expect(text.includes("(cut:")).toBe(isCut);
    expect(Buffer.byteLength(text)).toBeLessThanOrEqual(TOOL_RESULT_BYTES_MAX);
  });

  it("never cuts a character in two", async () => {
    const text = await ask(new ModelTools({ a: tool("😀".repeat(TOOL_RESULT_BYTES_MAX)) }), "a");
    expect(text).not.toContain("\uFFFD");
  });

  it("gives back what a tool gives, and says which tools there are", async () => {
    const tools = new ModelTools({ a: tool({ b: [1] }), b: tool(null) });
    expect(await ask(tools, "a")).toBe('{"b":[1]}');
    expect(await ask(tools, "b")).toBe("null");
    await expect(ask(tools, "c")).rejects.toThrow("a, b");
    await expect(ask(new ModelTools({}), "c")).rejects.toThrow("answer without them");
  });

  it("names a tool as its server does, and passes on what the server says of it", () => {
    const hints = { readOnly: true };
    const tools = new ModelTools({ maps__weather: { ...tool("x"), tool: "weather", server: "maps", hints } });
    expect(tools.callOf({ id: "1", name: "maps__weather", input: 7 })).toEqual({
      tool: "weather",
      server: "maps",
      args: 7,
    });
    expect(tools.describe("weather", "maps")).toEqual({ schema: { type: "object" }, hints });
    expect(tools.describe("weather", undefined)).toEqual({});
    expect(tools.callOf({ id: "1", name: "nope", input: {} })).toEqual({ tool: "nope", args: {} });
  });
});

describe("Transcript", () => {
  it("leaves out what would make it too long, and reports it", () => {
    const transcript = new Transcript();
    transcript.user("x".repeat(262_144));
    transcript.user("x".repeat(262_145));
    for (let turn = 0; turn < 5; turn += 1) transcript.assistant("y".repeat(262_144), []);
    transcript.user("short");
    const contents = transcript.entries.map(({ content }) => content as string);
    expect(contents.map((text) => text.length)).toEqual([262_144, 57, 262_144, 262_144, 262_144, 57, 57, 57]);
  });

  it("keeps only text that can be stored", () => {
    const transcript = new Transcript();
    transcript.user("a\0b\ud800");
    expect(transcript.entries).toEqual([{ role: "user", content: "a\uFFFDb\uFFFD" }]);
  });

  it("keeps a bounded number of entries", () => {
    const transcript = new Transcript();
    for (let turn = 0; turn < 1_100; turn += 1) transcript.user("a");
    transcript.assistant("", []);
    expect(transcript.entries).toHaveLength(1_000);
  });
});
