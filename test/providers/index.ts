export { answerStatus, callTool, hang, say, sayJson, type Behaviour, type Spoken } from "./behaviour.ts";
export { startAnthropicServer, startOpenAiServer, type ProviderServer, type ReceivedCall } from "./server.ts";
export { attempt, type Attempt, type AttemptOptions } from "./attempt.ts";
export { settingsFor, TEST_KEY, VENDORS, type Vendor } from "./vendor.ts";
export { createStage, type Scene, type StageOptions } from "./stage.ts";
