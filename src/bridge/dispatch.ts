import type { CallbackResult } from "../core/engine/index.ts";
import {
  adapterResultSchema,
  type Adapter,
  type AdapterHooks,
  type AdapterRequest,
  type AdapterResult,
} from "../adapter/index.ts";
import { reportOf } from "./report.ts";

/** The report of one dispatch and how often the network delivers it. */
export interface Delivery {
  readonly result: CallbackResult;
  readonly times: number;
}

/** Log lines of one dispatch that reach the run's log; an adapter that chatters must not fill it. */
const WARNINGS_MAX = 50;

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
  const result = await executeSafely(adapter, request, { ...hooks, onLog });
  const duplicates = result.status === "deferred" ? 0 : (result.duplicates ?? 0);
  return { result: reportOf(result, request.outputStrategy, warnings), times: 1 + duplicates };
}

async function executeSafely(adapter: Adapter, request: AdapterRequest, hooks: AdapterHooks): Promise<AdapterResult> {
  try {
    const parsed = adapterResultSchema.safeParse(await adapter.execute(request, hooks));
    if (parsed.success) return parsed.data;
    const issue = parsed.error.issues[0];
    const place = issue === undefined || issue.path.length === 0 ? "the result" : `"${issue.path.join(".")}"`;
    return adapterBug(adapter, `answered with a result that breaks the adapter interface: ${place} ${issue?.message}`);
  } catch (thrown) {
    return adapterBug(adapter, `threw: ${thrown instanceof Error ? thrown.message : String(thrown)}`);
  }
}

function adapterBug(adapter: Adapter, what: string): AdapterResult {
  return { status: "failed", failure: "adapter_bug", message: `The adapter "${adapter.provider}" ${what}` };
}
