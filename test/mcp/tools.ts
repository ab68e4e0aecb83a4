import { fromJsonSchema, McpServer } from "@modelcontextprotocol/server";

const anything = fromJsonSchema<Record<string, unknown>>({ type: "object" });

export const LARGE_BYTES = 5 * 1_048_576;

/** A server with one tool per behaviour an adapter has to stand. */
export function makeToolServer(
  description = "Repeats its input.",
  onHang?: (stopped: Promise<void>) => void,
): McpServer {
  const server = new McpServer({ name: "tools", version: "1.0.0" }, { capabilities: { tools: {} } });
  const tool = (
    name: string,
    about: string,
    answer: (args: Record<string, unknown>, signal: AbortSignal) => unknown,
  ): void => {
    server.registerTool(name, { description: about, inputSchema: anything }, async (args, context) => {
      return (await answer(args, context.mcpReq.signal)) as never;
    });
  };
  tool("echo", description, (args) => ({ content: [{ type: "text", text: JSON.stringify(args) }] }));
  tool("late", "Lets others go first.", async ({ canary, turns }) => {
    for (let turn = 0; turn < Number(turns); turn += 1) await new Promise((resolve) => setImmediate(resolve));
    return { content: [{ type: "text", text: String(canary) }], structuredContent: { canary } };
  });
  tool("parts", "Several parts.", () => ({
    content: [
      { type: "text", text: "one" },
      { type: "image", data: "aGVsbG8=", mimeType: "image/png" },
      { type: "text", text: "two" },
      { type: "audio", data: "A".repeat(1_048_576), mimeType: "audio/wav" },
      { type: "resource_link", name: "a", uri: "https://example.com/a.pdf", mimeType: "application/pdf" },
      { type: "resource_link", name: "b", uri: "javascript:alert(1)" },
      { type: "resource", resource: { uri: "file:///x", text: "three" } },
      { type: "image", data: "aGVs bG8=", mimeType: "image/png; evil" },
    ],
    structuredContent: { answer: 42 },
  }));
  tool("fails", "Fails.", () => ({ isError: true, content: [{ type: "text", text: "the disk is full" }] }));
  tool("throws", "Throws.", () => Promise.reject(new Error("out of order")));
  tool("large", "Says too much.", ({ bytes }) => ({ content: [{ type: "text", text: "x".repeat(Number(bytes)) }] }));
  tool("hangs", "Never answers.", async (_, signal) => {
    const stopped = new Promise<void>((resolve) => signal.addEventListener("abort", () => resolve()));
    onHang?.(stopped);
    await stopped;
    return { content: [] };
  });
  tool("list", "A list.", () => ({ content: [], structuredContent: [1, 2] }));
  tool("silent", "Nothing.", () => ({ content: [] }));
  tool("a.b", "A dot in its name.", () => ({ content: [{ type: "text", text: "dot" }] }));
  const annotations = { readOnlyHint: true, destructiveHint: false };
  server.registerTool(
    "keyed",
    { description: "Its key.", inputSchema: anything, annotations },
    (_, { mcpReq: { _meta: meta } }) => {
      const key = meta?.["sluice/idempotency-key"];
      return { content: [{ type: "text", text: typeof key === "string" ? key : "none" }] };
    },
  );
  return server;
}
