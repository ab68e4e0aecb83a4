import { ADAPTER_SPECIFICATION, type Adapter, type AdapterRequest } from "../../src/adapter/index.ts";

/** An adapter that does nothing but what a test gives it. */
export function stubAdapter(parts: Pick<Adapter, "execute"> & Partial<Adapter>): Adapter {
  return {
    specificationVersion: ADAPTER_SPECIFICATION,
    provider: "test",
    initialize: () => Promise.resolve(),
    shutdown: () => Promise.resolve(),
    checkHealth: () => Promise.resolve({ status: "healthy" }),
    capabilities: () => ({ streaming: false, structuredOutput: false, tools: false, deferred: true }),
    cancel: () => Promise.resolve(),
    ...parts,
  };
}

/** The capabilities of an adapter whose turns can be continued by another replica. */
export const durableTurns: Adapter["capabilities"] = () => ({
  streaming: false,
  structuredOutput: false,
  tools: true,
  deferred: false,
  turns: "durable",
});

/** The first attempt of a node `a`, without limits. */
export function stubRequest(changes: Partial<AdapterRequest> = {}): AdapterRequest {
  return {
    dispatchId: "run_1/a/1",
    runId: "run_1",
    stepId: "a",
    attempt: 1,
    idempotencyKey: "run_1/a/0",
    provider: "test",
    agentId: "default",
    message: "",
    inputs: {},
    outputStrategy: "text",
    timeoutMs: null,
    context: { runId: "run_1", workflow: "w", phase: null, upstreamDigest: null },
    effects: "at_least_once",
    ...changes,
  };
}
