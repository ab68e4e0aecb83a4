import { LIMITS, type Json, type JsonObject } from "../core/base/index.ts";
import type { AdapterRequest } from "./adapter.ts";

export type Sample = Partial<AdapterRequest> | ((canary: string) => Partial<AdapterRequest>);

/** Returns a request like one from the engine, with the fields of the sample, which the caller knows to work. */
export function sampleRequest(provider: string, sample: Sample | undefined, canary: string): AdapterRequest {
  const given = typeof sample === "function" ? sample(canary) : (sample ?? {});
  const message = given.message ?? "Answer with one word.";
  return {
    dispatchId: `conformance-${canary}`,
    runId: "conformance-run",
    stepId: "conformance-step",
    attempt: 1,
    idempotencyKey: `conformance-key-${canary}`,
    provider,
    agentId: "conformance",
    inputs: {},
    outputStrategy: "text",
    timeoutMs: null,
    context: { runId: "conformance-run", workflow: "conformance", phase: null, upstreamDigest: null },
    effects: "at_least_once",
    ...given,
    message: typeof sample === "function" ? message : `${message} ${canary}`,
  };
}

export interface HostileRequest {
  readonly name: string;
  readonly change: (request: AdapterRequest) => AdapterRequest;
}

const HUGE_LENGTH = 1_048_576;

/** Unusual requests that a workflow can cause without breaking any rule. */
export const HOSTILE_REQUESTS: readonly HostileRequest[] = [
  { name: "a message of a mebibyte", change: (request) => ({ ...request, message: "x".repeat(HUGE_LENGTH) }) },
  { name: "an empty message", change: (request) => ({ ...request, message: "" }) },
  { name: "NUL in the texts", change: (request) => ({ ...request, message: "a\u0000b", stdin: "\u0000" }) },
  {
    name: "half a surrogate pair",
    change: (request) => ({ ...request, message: "\ud800", inputs: { text: "\udc00" }, stdin: "\udbff" }),
  },
  { name: "__proto__ in the inputs", change: (request) => ({ ...request, inputs: prototypeInputs() }) },
  { name: "deeply nested inputs", change: (request) => ({ ...request, inputs: { deep: nested() } }) },
  {
    name: "unknown tools",
    change: (request) => ({ ...request, tools: ["no-such-tool", "__proto__", "no/such", ""] }),
  },
  { name: "an unknown model", change: (request) => ({ ...request, model: "constructor:__proto__/..\u0000" }) },
  {
    name: "an empty output schema",
    change: (request) => ({ ...request, outputStrategy: "json", outputSchema: {} }),
  },
];

function prototypeInputs(): JsonObject {
  return JSON.parse(
    '{"__proto__": {"polluted": true}, "constructor": {"prototype": {"polluted": true}}}',
  ) as JsonObject;
}

function nested(): Json {
  let value: Json = "bottom";
  for (let depth = 0; depth < LIMITS.valueDepthMax - 2; depth += 1) value = [value];
  return value;
}
