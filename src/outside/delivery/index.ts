export { DELIVERY_RETRY_MS } from "./deliverer.ts";
export { isWanted } from "./interest.ts";
export { deliveryOf, type DeliveryNotice, type Message, noticeMessage } from "./message.ts";
export { type OpenedDeliveries, openDeliveries } from "./open-deliveries.ts";
export { type Reach, type Sent, sentOfFailure } from "./sent.ts";
export type { Occurrence, Pause, Target, TargetKind } from "./target.ts";
