export { deliveriesTo } from "./deliveries-to.ts";
export { argsOfMessage, findSigner, HOOK_OVERLAP_MS, hookPlace, type IncomingMessage } from "./hook.ts";
export { deliveryOf, noticeMessage } from "./message.ts";
export { type OpenedWebhooks, openWebhooks } from "./open-webhooks.ts";
export { newHookSecret } from "./signature.ts";
