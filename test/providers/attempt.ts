import {
  adapterResultSchema,
  type Adapter,
  type AdapterFiles,
  type AdapterRequest,
  type AdapterResult,
  type LogLine,
  type TurnHooks,
} from "../../src/adapter/index.ts";

export interface Attempt {
  readonly result: AdapterResult;
  readonly partials: readonly string[];
  readonly logs: readonly LogLine[];
}

export interface AttemptOptions {
  readonly signal?: AbortSignal;
  readonly onPartial?: (text: string) => void;
  readonly files?: AdapterFiles;
  readonly turn?: TurnHooks;
}

const REQUEST: AdapterRequest = {
  dispatchId: "d1",
  runId: "run-1",
  stepId: "step-1",
  attempt: 1,
  idempotencyKey: "key-1",
  provider: "ai-sdk",
  agentId: "agent",
  message: "Say something.",
  inputs: {},
  outputStrategy: "text",
  timeoutMs: null,
  context: { runId: "run-1", workflow: "w", phase: null, upstreamDigest: null },
  effects: "at_least_once",
};

/** Sends one request through an adapter; what it answers must be a result of the interface. */
export async function attempt(
  adapter: Adapter,
  request: Partial<AdapterRequest> = {},
  options: AttemptOptions = {},
): Promise<Attempt> {
  const partials: string[] = [];
  const logs: LogLine[] = [];
  const result = await adapter.execute(
    { ...REQUEST, provider: adapter.provider, ...request },
    {
      signal: options.signal ?? new AbortController().signal,
      onPartial: (part) => {
        if (!("text" in part)) return;
        partials.push(part.text);
        options.onPartial?.(part.text);
      },
      onLog: (line) => logs.push(line),
      ...options.turn,
      ...(options.files === undefined ? {} : { files: options.files }),
    },
  );
  return { result: adapterResultSchema.parse(result), partials, logs };
}
