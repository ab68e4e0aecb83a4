export { GatewayDirectory } from "./directory.ts";
export type { GatewaySpec } from "./gateway-spec.ts";
export { type Gateway, LOCAL_GATEWAY, type LocalGateway } from "./gateway-view.ts";
export { type GatewaysOptions, type OpenedGateways, openGateways } from "./open-gateways.ts";
export type { Opened, RemoteFailure, RemoteReport } from "./opened.ts";
export { RemoteDispatcher } from "./remote-dispatcher.ts";
export { chooseRoute, type RouteChoice, type RouteWish } from "./routing.ts";
export type { SecretBox } from "./secret-box.ts";
export type { Tickets } from "./ticket.ts";
