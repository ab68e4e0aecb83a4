export { createCellRouter } from "./cell-router.ts";
export { Fleet } from "./fleet.ts";
export type { FleetCell } from "./fleet-cell.ts";
