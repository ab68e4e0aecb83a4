export { AdapterGateway } from "./adapter-check.ts";
export type { ContentCheck, ModerationRequest } from "./content-check.ts";
export { createNodeModeration, moderatesInput, moderatesOutput, type NodeModeration } from "./node-moderation.ts";
export { UNAVAILABLE } from "./unavailable.ts";
export { WithheldPartials } from "./withheld-partials.ts";
