export type { LensTemplate, OverrideValue, StepReference, StepTemplate, Value, Values } from "./template.ts";
export { nameOfLabel, normaliseLabel } from "./label.ts";
export { parseLensTemplate, renderLensTemplate } from "./lens-template.ts";
export { parseOverride } from "./override.ts";
export {
  isExpression,
  isSingleReference,
  parseStdin,
  parseStepTemplate,
  pathsOfTemplate,
  renderStepTemplate,
} from "./step-template.ts";
export { ARG_STYLE, parseValue, pathsOfValue, valueStyle } from "./value.ts";
