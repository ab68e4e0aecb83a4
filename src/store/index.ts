export * from "./registry-store.ts";
export * from "./store.ts";
export * from "./store-error.ts";
export * from "./sql.ts";
export { createMemoryStore, type MemoryStoreOptions } from "./memory-store.ts";
export { createSqlStore } from "./sql-store.ts";
export { schemaDigest } from "./migrations/migrate.ts";
export type { BlobRef, StoredEvent } from "./event-pack.ts";
