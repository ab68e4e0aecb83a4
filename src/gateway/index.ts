export { GatewayDirectory } from "./directory.ts";
export { NEW_SPEC } from "./gateway-spec.ts";
export { type GatewayView, LOCAL_GATEWAY } from "./gateway-view.ts";
export { type OpenedGateways, openGateways } from "./open-gateways.ts";
export type { Opened, RemoteReport } from "./opened.ts";
export { RemoteDispatcher } from "./remote-dispatcher.ts";
export { refusalText } from "../outbound/index.ts";
export { chooseRoute, type RouteChoice, type RouteRequest } from "./routing.ts";
export { organisationOfToken, type Tickets } from "./ticket.ts";
