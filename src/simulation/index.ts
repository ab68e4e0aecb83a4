export { answerAll, APPROVE_ANSWERS, type AnswerQuestion, type ApproveMode } from "./answer.ts";
export { buildEnvironment, type BuiltEnvironment } from "./environment.ts";
export type { OutsideEvent } from "./outside-event.ts";
export {
  type SimulationOptions,
  type SimulationInput,
  type Simulated,
  simulateGoverned,
  simulateOpen,
  SimulationTooLong,
} from "./simulate.ts";
export { GOVERNANCE_MODES, type GovernanceMode, type Simulation, simulationOf } from "./simulation.ts";
export { EMPTY_SCRIPT, readScript, type Script } from "../adapters/index.ts";
