export * from "./entry.ts";
export { entriesOfEvents } from "./entries-of-events.ts";
export { type FreeText, freeTextOf, withTextHashed } from "./free-text.ts";
export { addLeaf, EMPTY_FRONTIER, rootOf } from "./merkle.ts";
export { type AuditRecord, GENESIS_HASH, linkRecord, rehash } from "./record.ts";
export {
  type AuditHead,
  type AuditCheckpoint,
  EXPORT_FORMAT,
  type OpenSegment,
  type PrunedSegments,
  type Signing,
  signStatement,
  type PartlyPrunedSegment,
} from "./statement.ts";
export {
  ExportVerifier,
  type FirstBad,
  type VerifyOptions,
  type VerifyResult,
  type VerifySignature,
} from "./verifier.ts";
