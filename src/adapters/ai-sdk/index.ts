export { createAiSdkAdapter, type AiSdkAdapterOptions } from "./ai-sdk-adapter.ts";
export { AI_SDK_PROVIDERS } from "./route.ts";
