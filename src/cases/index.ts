export { type CaseRun, type ReadyCase, runCase, type TestedWorkflow } from "./run-case.ts";
