import type { CallbackResult } from "../core/engine/index.ts";
import type { Adapter, AdapterHooks, AdapterRequest } from "../adapter/index.ts";
import { askAdapter } from "./answer.ts";
import { reportOf, WARNINGS_MAX } from "./report.ts";

/** The report of one dispatch and how often the network delivers it. */
export interface Delivery {
  readonly result: CallbackResult;
  readonly times: number;
}

/** Runs one request on its adapter. Never rejects: an adapter that throws or answers nonsense is a failure too. */
export async function performDispatch(
  adapter: Adapter,
  request: AdapterRequest,
  hooks: AdapterHooks,
): Promise<Delivery> {
  const warnings: string[] = [];
  const onLog: AdapterHooks["onLog"] = (line) => {
    if ((line.level === "warning" || line.level === "error") && warnings.length < WARNINGS_MAX) {
      warnings.push(line.message);
    }
    hooks.onLog(line);
  };
  const result = await askAdapter(adapter, request, { ...hooks, onLog });
  const duplicates = result.status === "deferred" ? 0 : (result.duplicates ?? 0);
  return { result: reportOf(result, request.outputStrategy, warnings), times: 1 + duplicates };
}
