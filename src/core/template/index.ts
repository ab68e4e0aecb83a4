export type { LensTemplate, OverrideValue, StepReference, StepTemplate, WithValue } from "./template.ts";
export { normaliseLabel } from "./label.ts";
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
export { parseWithValue } from "./with-value.ts";
