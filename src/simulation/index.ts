export { APPROVE_ANSWERS, type ApproveMode } from "./answer.ts";
export { buildHouse, type BuiltHouse, type House } from "./house.ts";
export { type Performance, type Piece, rehearseGoverned, rehearseOpen, RehearsalTooLong } from "./rehearse.ts";
export {
  GOVERNANCE_MODES,
  type GovernanceMode,
  type NodeForecast,
  type Simulation,
  simulationOf,
} from "./simulation.ts";
export { EMPTY_SCRIPT, readScript, type Script } from "../adapters/index.ts";
