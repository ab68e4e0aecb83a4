export { createSystemClock, type Clock, type Stop } from "./clock.ts";
export { createVirtualClock, type VirtualClock } from "./virtual-clock.ts";
