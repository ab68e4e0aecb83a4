/** Messages as the SDK yields them, with the fields it fills for a session of its own. */
type Fields = Readonly<Record<string, unknown>>;

const IDS = { uuid: "00000000-0000-4000-8000-000000000000", session_id: "00000000-0000-4000-8000-000000000001" };
const MODEL = "claude-sonnet-4-5";

export const init = (): Fields => ({
  type: "system",
  subtype: "init",
  apiKeySource: "ANTHROPIC_API_KEY",
  claude_code_version: "2.1.325",
  cwd: "/",
  tools: [],
  mcp_servers: [],
  model: MODEL,
  permissionMode: "default",
  slash_commands: [],
  output_style: "default",
  skills: [],
  plugins: [],
  ...IDS,
});

export const streamEvent = (event: Fields, parent: string | null = null): Fields => ({
  type: "stream_event",
  event,
  parent_tool_use_id: parent,
  ...IDS,
});

export const messageStart = (usage: Fields = { input_tokens: 90, cache_read_input_tokens: 10, output_tokens: 1 }) =>
  streamEvent({
    type: "message_start",
    message: { id: "msg_1", type: "message", role: "assistant", model: MODEL, content: [], stop_reason: null, usage },
  });

export const piece = (text: string, parent: string | null = null): Fields =>
  streamEvent({ type: "content_block_delta", index: 0, delta: { type: "text_delta", text } }, parent);

export const messageDelta = (stop: string, outputTokens: number): Fields =>
  streamEvent({ type: "message_delta", delta: { stop_reason: stop }, usage: { output_tokens: outputTokens } });

export const assistant = (content: readonly Fields[], more: Fields = {}, parent: string | null = null): Fields => ({
  type: "assistant",
  message: { id: "msg_1", type: "message", role: "assistant", model: MODEL, content, stop_reason: null, usage: {} },
  parent_tool_use_id: parent,
  ...IDS,
  ...more,
});

/** How the SDK reports an error of the API inside of the conversation. */
export const apiError = (error: string, status: number | null, text: string): Fields => ({
  ...assistant([{ type: "text", text }]),
  message: { model: "<synthetic>", role: "assistant", content: [{ type: "text", text }], stop_reason: "stop_sequence" },
  error,
  ...(status === null ? {} : { api_error_status: status }),
});

export const apiRetry = (error: string, status: number | null, delayMs: number, attempt = 1): Fields => ({
  type: "system",
  subtype: "api_retry",
  attempt,
  max_retries: attempt,
  retry_delay_ms: delayMs,
  error_status: status,
  error,
  ...IDS,
});

export const text = (words: string): Fields => ({ type: "text", text: words });
export const toolUse = (id: string, name: string, input: Fields): Fields => ({ type: "tool_use", id, name, input });

export const toolResult = (id: string, content: unknown, isError = false): Fields => ({
  type: "user",
  message: { role: "user", content: [{ type: "tool_result", tool_use_id: id, content, is_error: isError }] },
  parent_tool_use_id: null,
  ...IDS,
});

export const modelUsage = (more: Fields = {}): Fields => ({
  inputTokens: 90,
  outputTokens: 20,
  cacheReadInputTokens: 10,
  cacheCreationInputTokens: 0,
  webSearchRequests: 0,
  costUSD: 0.000_573,
  contextWindow: 200_000,
  maxOutputTokens: 32_000,
  thinkingTokens: 0,
  costBasis: "list",
  ...more,
});

export const result = (more: Fields = {}): Fields => ({
  type: "result",
  subtype: "success",
  is_error: false,
  num_turns: 1,
  duration_ms: 1,
  duration_api_ms: 1,
  stop_reason: "end_turn",
  total_cost_usd: 0.000_572_999_999_999_999_9,
  usage: {},
  modelUsage: { [MODEL]: modelUsage() },
  permission_denials: [],
  result: "Hello world",
  ...IDS,
  ...more,
});

/** What the SDK yields before it throws, when the API failed for good. */
export const failedResult = (words: string): Fields =>
  result({ is_error: true, result: words, stop_reason: "stop_sequence", total_cost_usd: 0, modelUsage: {} });
