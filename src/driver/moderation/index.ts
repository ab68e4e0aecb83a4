export { AdapterGateway, type AdapterGatewayOptions } from "./adapter-check.ts";
export type { ContentCheck, ModerationRequest } from "./content-check.ts";
export {
  createNodeModeration,
  moderatesInput,
  moderatesOutput,
  type NodeModeration,
  type NodeModerationOptions,
  type NodeOfRun,
} from "./node-moderation.ts";
export { RuleGateway } from "./rule-check.ts";
export { moderateSafely, UNAVAILABLE } from "./unavailable.ts";
export { WithheldPartials } from "./withheld-partials.ts";
