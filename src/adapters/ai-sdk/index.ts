export { createAiSdkAdapter, type AiSdkAdapterOptions } from "./ai-sdk-adapter.ts";
export type { ModelTool, OpenTools, ToolOpener } from "./model-tools.ts";
export { AI_SDK_PROVIDERS } from "./route.ts";
