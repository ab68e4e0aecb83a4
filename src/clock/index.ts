export { createSystemClock, type Clock, type Stop } from "./clock.ts";
export { LeasedRounds, type Leases } from "./leased-rounds.ts";
export { Rounds } from "./rounds.ts";
export { SyncedClock } from "./synced-clock.ts";
export { createVirtualClock, type VirtualClock } from "./virtual-clock.ts";
