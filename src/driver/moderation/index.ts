export { AdapterGateway, type AdapterGatewayOptions } from "./adapter-gateway.ts";
export type { ModerationGateway, ModerationRequest } from "./gateway.ts";
export {
  createNodeModeration,
  moderatesInput,
  moderatesOutput,
  type NodeModeration,
  type NodeModerationOptions,
  type NodeOfRun,
} from "./node-moderation.ts";
export { RuleGateway } from "./rule-gateway.ts";
export { moderateSafely, UNAVAILABLE } from "./unavailable.ts";
export { WithheldPartials } from "./withheld-partials.ts";
