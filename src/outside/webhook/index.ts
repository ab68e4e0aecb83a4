export { deliveriesTo } from "./deliveries-to.ts";
export { deliveryOf, noticeMessage } from "./message.ts";
export { type OpenedWebhooks, openWebhooks } from "./open-webhooks.ts";
export { keysOf, newHookSecret, verify } from "./signature.ts";
