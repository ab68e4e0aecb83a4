import { ADAPTER_SPECIFICATION, type Adapter, type AdapterRequest, type AdapterResult } from "../adapter/index.ts";
import type { Clock } from "../clock/index.ts";
import { isJsonObject, type Json } from "../core/base/index.ts";
import type { ScriptOutcome } from "./outcome.ts";
import { ScriptExecutor } from "./script-executor.ts";

export const SCRIPT_PROVIDER = "script";

export interface ScriptAdapterOptions {
  readonly clock: Clock;
  /** Set where time is simulated: the caller blocks until the script has ended. */
  readonly isSynchronous?: boolean;
  /** How long the thread may take for a script before it is killed. */
  readonly patienceMs?: number;
}

/** Runs the code of script steps: the message is the code, which reads the inputs as `inputs`. */
export function createScriptAdapter({ clock, isSynchronous = false, patienceMs }: ScriptAdapterOptions): Adapter {
  const executor = new ScriptExecutor(patienceMs === undefined ? { clock } : { clock, patienceMs });
  return {
    specificationVersion: ADAPTER_SPECIFICATION,
    provider: SCRIPT_PROVIDER,
    initialize: () => Promise.resolve(),
    shutdown: () => executor.close(),
    checkHealth: () => Promise.resolve({ status: "healthy" }),
    capabilities: () => ({ streaming: false, structuredOutput: true, tools: false, deferred: false }),
    cancel: () => Promise.resolve(),
    async execute({ message, inputs }: AdapterRequest, { signal }) {
      const call = { code: message, inputs: JSON.stringify(inputs) };
      const outcome = isSynchronous ? executor.runNow(call) : await executor.run(call, signal);
      return outcome === null
        ? { status: "failed", failure: "cancelled", message: "The script was called off." }
        : resultOf(outcome);
    },
  };
}

function resultOf(outcome: ScriptOutcome): AdapterResult {
  if (outcome.kind === "returned") {
    if (outcome.json === null) return { status: "completed", outputs: {}, costUsd: 0 };
    const value = JSON.parse(outcome.json) as Json;
    // Outputs have names, so a value that is not an object becomes the output `result`.
    const outputs = isJsonObject(value) ? value : { result: value };
    return { status: "completed", stdout: outcome.json, outputs, costUsd: 0 };
  }
  const { kind, message, line, column } = outcome;
  const place = line === null ? "" : ` (line ${line}, column ${column})`;
  const failure = kind === "limit" ? "script_limit" : "script_error";
  return { status: "failed", failure, retryable: false, message: `${message}${place}`, costUsd: 0 };
}
