export {
  PeerAgent,
  requestPeer,
  type PeerFailure,
  type PeerFailureReason,
  type PeerReply,
  type PeerRequest,
} from "./peer.ts";
export { createModelFetch, ResponseTooLarge, type ModelFetch, type ModelFetchLimits } from "./model-fetch.ts";
export { createAllowList, type AllowList } from "./allow-list.ts";
export { fetchGuarded, type GuardedFailure, type GuardedReply, type GuardedRequest } from "./guarded-fetch.ts";
export {
  OUTBOUND_REFUSED,
  OutboundGuard,
  type OutboundGuardOptions,
  type OutboundRefusal,
  type OutboundUse,
  refusalText,
} from "./outbound-guard.ts";
export type { Resolve, UrlRefusalCode } from "./url-check.ts";
export { fetchFromServer } from "./server-fetch.ts";
