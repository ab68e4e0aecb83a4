export * from "./store.ts";
export * from "./store-error.ts";
export { createMemoryStore, type MemoryStoreOptions } from "./memory-store.ts";
export type { BlobRef, StoredEvent } from "./event-pack.ts";
