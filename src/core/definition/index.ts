export * from "./definition.ts";
export * from "./dependency.ts";
export * from "./field.ts";
export type { Concurrency } from "./concurrency-shape.ts";
export type { Repeat } from "./repeat-shape.ts";
export type { Emit, Wait, Work } from "./work.ts";
export type { WorkerFunction } from "./worker-function.ts";
export { strictestAction } from "./function-step.ts";
export { fitsTool, type ToolPattern, toolNameOf } from "./tool-name.ts";
export type { StepTool } from "./step-tool.ts";
export { allSteps, stepsInside } from "./all-steps.ts";
export { LABEL_NAME } from "./label-shape.ts";
export { FINALLY } from "./finally.ts";
export { checkArgs } from "./args.ts";
export { readCatalog } from "./catalog.ts";
export { definitionHashOf } from "./canonical.ts";
export { jsonSchema } from "./json-schema.ts";
export {
  channelRules,
  isNotified,
  type NotifyFacts,
  type NotifyKind,
  type NotifyRule,
  rulesOfSource,
} from "./notify.ts";
export { lensVersionOf } from "./lens-name.ts";
export { parseLens } from "./lens.ts";
export { PROBLEM_DOCS, renderProblemDocs } from "./problem-docs.ts";
export { EMPTY_CATALOG, readDefinition } from "./read-definition.ts";
export { deadEndHint, deadEndMessage } from "./dead-end.ts";
export { didYouMean, suggest } from "../base/index.ts";
export { Report, type ReadOptions } from "./report.ts";
export { parseDuration } from "./duration.ts";
export { EVENT_TYPE } from "./event-shape.ts";
export { ALLOW_KEY, findSecretLiterals, SECRET_HINT } from "./secret-literal.ts";
