export { editFields, type FieldEdit } from "./fields.ts";
export { editWorkflow, type WorkflowEdit } from "./edit.ts";
export type { EditOutcome } from "./steps.ts";
export { type Outline, type OutlineBlock, readOutline, type OutlineStep, type StepKind, stepsOf } from "./outline.ts";
export { copySteps } from "./paste.ts";
export { valueAt } from "./change.ts";
