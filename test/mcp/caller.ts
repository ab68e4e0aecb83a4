import { type CallToolResult, Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";

/** Which revision of the protocol a client speaks: the newest both know, or that of the handshake. */
export type Era = "auto" | "legacy";

/** A real client of ours, at a real server. */
export async function connectCaller(url: string, key: string | null, era: Era = "auto"): Promise<Client> {
  const client = new Client({ name: "caller", version: "1" }, { versionNegotiation: { mode: era } });
  const headers = key === null ? {} : { authorization: `Bearer ${key}` };
  await client.connect(new StreamableHTTPClientTransport(new URL(`${url}/mcp`), { requestInit: { headers } }));
  return client;
}

export interface ToolAnswer {
  readonly isError: boolean;
  /** Whatever was said: tests look at it as they need. */
  readonly data: ReturnType<typeof JSON.parse>;
  readonly text: string;
}

export function answerOf({ isError, structuredContent, content }: CallToolResult): ToolAnswer {
  const [first] = content;
  return { isError: isError === true, data: structuredContent, text: first?.type === "text" ? first.text : "" };
}
