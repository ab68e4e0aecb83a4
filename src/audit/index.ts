export { AuditTrail, type SealingFigures } from "./audit-trail.ts";
export { readAnchors } from "./checkpoint-file.ts";
export { startSealer } from "./sealer.ts";
export { createSigner, isPublicKey, verifySignature } from "./signer.ts";
export { verifyAudit } from "./verify.ts";
