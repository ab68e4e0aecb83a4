export { AuditTrail, type AuditTrailOptions, type SealingFigures } from "./audit-trail.ts";
export { readAnchors } from "./checkpoint-file.ts";
export { DEFAULT_RETENTION, type Retention } from "./retention.ts";
export { type Sealer, type SealerFigures, type SealerOptions, startSealer } from "./sealer.ts";
export { createSigner, isPublicKey } from "./signer.ts";
export { verifyAudit } from "./verify.ts";
