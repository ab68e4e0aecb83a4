/** Public entry `sluice/workflow`: workflows in TypeScript. */
export { workflow, child, concurrency, finallyDo, isWorkflow, labels, ref } from "./workflow.ts";
export type { Context, RunFacts, Workflow, WorkflowOptions } from "./workflow.ts";
export { agent, call, http, mcp, process, script } from "./agent-step.ts";
export { cancel, emit, fail, library, set, wait } from "./work-step.ts";
export { block, choose, each, repeat } from "./flow-step.ts";
export { gate } from "./gate-step.ts";
export { lensGraph } from "./lens-graph.ts";
export { file } from "./file-schema.ts";
export { typed } from "./declaration.ts";
export { expr } from "./operand.ts";
export * from "./operator.ts";
export * from "./function.ts";
export { WorkflowError } from "./workflow-error.ts";
export type { Operand, Ref } from "./reference.ts";
export type { StepRef } from "./step-options.ts";
