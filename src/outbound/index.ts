export {
  openPeerStream,
  PeerAgent,
  requestPeer,
  type PeerFailure,
  type PeerReply,
  type PeerRequest,
  type PeerStream,
} from "./peer.ts";
export { createModelFetch, ResponseTooLarge, type ModelFetch } from "./model-fetch.ts";
export { createAllowList, type AllowList } from "./allow-list.ts";
export { fetchGuarded, type GuardedFailure, type GuardedReply, type StreamedBody } from "./guarded-fetch.ts";
export { OUTBOUND_REFUSED, OutboundGuard, type OutboundRefusal, refusalText } from "./outbound-guard.ts";
export type { Resolve } from "./url-check.ts";
export { fetchFromServer } from "./server-fetch.ts";
export { connectGuarded } from "./guarded-connection.ts";
