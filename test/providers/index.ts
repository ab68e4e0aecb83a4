export { attempt } from "./attempt.ts";
export { answerStatus, callTool, hang, say, sayJson } from "./behaviour.ts";
export { createStage } from "./stage.ts";
export { TEST_KEY, VENDORS, type Vendor } from "./vendor.ts";
export type { Behaviour } from "./behaviour.ts";
export { type ProviderServer, startAnthropicServer, startOpenAiServer } from "./server.ts";
