import type { Pins } from "../core/plan/index.ts";
import type { Launch } from "../driver/index.ts";
import type { WorkflowStore } from "../store/index.ts";
import { keepPinned } from "./pinning.ts";

/** An unsaved workflow, with everything it needs besides its own text. */
export interface UnsavedWorkflow {
  readonly source: string;
  /** SHA-256 of the source. */
  readonly hash: string;
  /** Resources outside its text that it refers to. */
  readonly pins: Pins;
  /** Texts of the workflows it may start, by hash. */
  readonly texts: ReadonlyMap<string, string>;
}

/** Stores the texts, so that runs of the workflow find them. Returns their hashes. */
export async function storeUnsavedWorkflow(
  store: Pick<WorkflowStore, "putDefinition">,
  orgId: string,
  { source, hash, pins, texts }: UnsavedWorkflow,
): Promise<Pick<Launch, "definitionHash" | "pinnedHash">> {
  await store.putDefinition(orgId, hash, { source, catalog: null });
  for (const [one, text] of texts) await store.putDefinition(orgId, one, { source: text, catalog: null });
  return { definitionHash: hash, pinnedHash: await keepPinned(store, orgId, { source, hash }, pins) };
}
