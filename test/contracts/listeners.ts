import type { NewDelivery, Settlement, Store } from "../../src/store/index.ts";

/** To the target itself, at once and on its own. */
export const ALONE = { recipient: null, groupKey: null, runId: null, delayMs: 0 } as const;

/** What webhooks are sent, and organisations that have one. */
export const delivery = (id: string, parts: Partial<NewDelivery> = {}): NewDelivery => ({
  id,
  orgId: "org_1",
  targetId: "ops",
  type: "run.completed",
  body: '{"type":"run.completed","data":{"text":"a,\\"b\\\\\\u001e"}}',
  ...ALONE,
  ...parts,
});
export const PAGE = { limit: 10, cursor: null };
export const SETTLED: Settlement = { state: "delivered", retryMs: null, status: 204, error: null };

export const versionOf = async (store: Store, orgId = "org_1"): Promise<number> =>
  (await store.configVersions()).get(orgId) ?? 0;

/** An organisation with one webhook that listens from the beginning. */
export async function listening(store: Store, orgId = "org_1"): Promise<number> {
  await store.putEntry(orgId, "webhook", "ops", { url: "https://example.com" }, 1);
  const version = await versionOf(store, orgId);
  await store.subscribe(orgId, version, [{ targetId: "ops", since: 1 }]);
  return version;
}

export const states = async (store: Store): Promise<readonly (readonly [string, string])[]> =>
  (await store.listDeliveries("org_1", "ops", PAGE)).data.map(({ id, state }) => [id, state]);
