import { DEFAULT_USAGE, type Spoken } from "./behaviour.ts";

/** How a provider puts an answer into frames: what comes first, one piece of text, and the end. */
export interface Dialect {
  readonly open: (spoken: Spoken) => readonly string[];
  readonly text: (spoken: Spoken, chunk: string) => readonly string[];
  readonly close: (spoken: Spoken) => readonly string[];
  readonly failure: readonly string[];
}

const frame = (data: unknown): string => `data: ${JSON.stringify(data)}\n\n`;
const event = (type: string, data: object = {}): string => `event: ${type}\n${frame({ type, ...data })}`;
const usageOf = ({ usage }: Spoken) => (usage === undefined ? DEFAULT_USAGE : usage);
const idOf = ({ id }: Spoken): string => id ?? "msg_1";

export const chatDialect: Dialect = {
  open: (spoken) => [chat(spoken, { role: "assistant", content: "" })],
  text: (spoken, chunk) => [chat(spoken, spoken.finish === "refusal" ? { refusal: chunk } : { content: chunk })],
  close: (spoken) => {
    const calls = (spoken.toolCalls ?? []).map(({ id, name, args }, index) =>
      chat(spoken, { tool_calls: [{ index, id, type: "function", function: { name, arguments: args } }] }),
    );
    const finish =
      calls.length > 0 && spoken.finish === undefined ? "tool_calls" : CHAT_FINISH[spoken.finish ?? "stop"];
    const usage = usageOf(spoken);
    const bill = usage === null ? [] : [frame({ id: idOf(spoken), choices: [], usage: chatUsage(usage) })];
    return [...calls, chat(spoken, {}, finish), ...bill, "data: [DONE]\n\n"];
  },
  failure: [frame({ error: { message: "the model fell over", type: "server_error", code: 500 } })],
};

const CHAT_FINISH = { stop: "stop", length: "length", filter: "content_filter", refusal: "stop" } as const;

function chat(spoken: Spoken, delta: object, finish: string | null = null): string {
  const choice = { index: 0, delta, finish_reason: finish };
  return frame({ id: idOf(spoken), object: "chat.completion.chunk", created: 1, model: "m", choices: [choice] });
}

function chatUsage({ input, output, cached = 0, thinking = 0 }: NonNullable<Spoken["usage"]>): object {
  return {
    prompt_tokens: input,
    completion_tokens: output,
    total_tokens: input + output,
    prompt_tokens_details: { cached_tokens: cached },
    completion_tokens_details: { reasoning_tokens: thinking },
  };
}

export const responsesDialect: Dialect = {
  open: (spoken) => [
    frame({ type: "response.created", response: { id: "resp_1", created_at: 1, model: "m" } }),
    ...(spoken.chunks.length === 0
      ? []
      : [frame({ type: "response.output_item.added", output_index: 0, item: { type: "message", id: idOf(spoken) } })]),
  ],
  text: (spoken, delta) => {
    const type = spoken.finish === "refusal" ? "response.refusal.delta" : "response.output_text.delta";
    return [frame({ type, item_id: idOf(spoken), output_index: 0, content_index: 0, delta })];
  },
  close: (spoken) => {
    const message = { type: "message", id: idOf(spoken) };
    const said =
      spoken.chunks.length === 0 ? [] : [frame({ type: "response.output_item.done", output_index: 0, item: message })];
    const calls = (spoken.toolCalls ?? []).flatMap(({ id, name, args }, index) => {
      const item = {
        type: "function_call",
        id: `fc_${index}`,
        call_id: id,
        name,
        arguments: args,
        status: "completed",
      };
      const place = { output_index: index + 1 };
      return [
        frame({ type: "response.output_item.added", ...place, item: { ...item, arguments: "" } }),
        frame({ type: "response.function_call_arguments.delta", ...place, item_id: item.id, delta: args }),
        frame({ type: "response.output_item.done", ...place, item }),
      ];
    });
    const reason =
      spoken.finish === "length" ? "max_output_tokens" : spoken.finish === "filter" ? "content_filter" : null;
    const response = {
      id: "resp_1",
      incomplete_details: reason === null ? null : { reason },
      usage: responsesUsage(usageOf(spoken)),
    };
    return [
      ...said,
      ...calls,
      frame({ type: reason === null ? "response.completed" : "response.incomplete", response }),
    ];
  },
  failure: [
    frame({
      type: "error",
      sequence_number: 9,
      error: { type: "server_error", code: "server_error", message: "the model fell over" },
    }),
  ],
};

function responsesUsage(usage: ReturnType<typeof usageOf>): object | null {
  if (usage === null) return null;
  const { input, output, cached = 0, thinking = 0 } = usage;
  return {
    input_tokens: input,
    output_tokens: output,
    input_tokens_details: { cached_tokens: cached },
    output_tokens_details: { reasoning_tokens: thinking },
  };
}

export const anthropicDialect: Dialect = {
  open: (spoken) => {
    const usage = usageOf(spoken);
    const { input, cached = 0 } = usage ?? { input: 0 };
    const message = {
      id: idOf(spoken),
      type: "message",
      role: "assistant",
      model: "m",
      content: [],
      stop_reason: null,
      usage: { input_tokens: input - cached, cache_read_input_tokens: cached, output_tokens: 1 },
    };
    const block = { index: 0, content_block: { type: "text", text: "" } };
    return [
      event("message_start", { message }),
      ...(spoken.chunks.length === 0 ? [] : [event("content_block_start", block)]),
    ];
  },
  text: (_, text) => [event("content_block_delta", { index: 0, delta: { type: "text_delta", text } })],
  close: (spoken) => {
    const said = spoken.chunks.length === 0 ? [] : [event("content_block_stop", { index: 0 })];
    const calls = (spoken.toolCalls ?? []).flatMap(({ id, name, args }, at) => {
      const index = at + 1;
      const block = { type: "tool_use", id, name, input: {} };
      return [
        event("content_block_start", { index, content_block: block }),
        event("content_block_delta", { index, delta: { type: "input_json_delta", partial_json: args } }),
        event("content_block_stop", { index }),
      ];
    });
    const stop = calls.length > 0 && spoken.finish === undefined ? "tool_use" : ANTHROPIC_STOP[spoken.finish ?? "stop"];
    const delta = { stop_reason: stop, stop_sequence: null };
    const usage = { output_tokens: usageOf(spoken)?.output ?? 0 };
    return [...said, ...calls, event("message_delta", { delta, usage }), event("message_stop")];
  },
  failure: [event("error", { error: { type: "overloaded_error", message: "Overloaded" } })],
};

const ANTHROPIC_STOP = { stop: "end_turn", length: "max_tokens", filter: "refusal", refusal: "refusal" } as const;
