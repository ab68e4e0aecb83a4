export { deliveriesTo } from "./deliveries-to.ts";
export { argsOfMessage, findSigner, HOOK_OVERLAP_MS, hookPlace, type IncomingMessage } from "./hook.ts";
export { send as sendSigned } from "./send.ts";
export { newHookSecret } from "./signature.ts";
export { signingKeys, webhookTargets } from "./webhook-target.ts";
