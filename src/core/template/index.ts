export type { LensTemplate, OverrideValue, StepTemplate, WithValue } from "./template.ts";
export { normaliseLabel } from "./label.ts";
export { parseLensTemplate, renderLensTemplate } from "./lens-template.ts";
export { parseOverride } from "./override.ts";
export { isSingleReference, parseStdin, parseStepTemplate, renderStepTemplate } from "./step-template.ts";
export { parseWithValue } from "./with-value.ts";
