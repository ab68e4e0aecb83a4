export { deliveriesTo } from "./deliveries-to.ts";
export { send as sendSigned } from "./send.ts";
export { keysOf, newHookSecret, verify } from "./signature.ts";
export { verifySlack } from "./slack-signature.ts";
export { webhookTargets } from "./webhook-target.ts";
export { sentOfRefusal } from "./refused-secret.ts";
