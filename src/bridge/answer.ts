import {
  adapterResultSchema,
  type Adapter,
  type AdapterHooks,
  type AdapterRequest,
  type AdapterResult,
} from "../adapter/index.ts";

/** Returns the adapter's result. Never rejects: an adapter that throws or returns an invalid result counts as failed. */
export async function askAdapter(
  adapter: Adapter,
  request: AdapterRequest,
  hooks: AdapterHooks,
): Promise<AdapterResult> {
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
