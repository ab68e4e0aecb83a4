export { deliveriesTo } from "./deliveries-to.ts";
export { argsOfMessage, findSigner, HOOK_OVERLAP_MS, hookPlace, type IncomingMessage } from "./hook.ts";
export { send as sendSigned } from "./send.ts";
export { keysOf, newHookSecret } from "./signature.ts";
export { webhookTargets } from "./webhook-target.ts";
