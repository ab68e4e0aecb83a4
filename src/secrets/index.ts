export { DispatchSecrets } from "./dispatch-secrets.ts";
export { refusalLine, type SecretRefusal } from "./refusal.ts";
export { reseal } from "./reseal.ts";
export { Secrets } from "./secrets.ts";
export { openSources, type SourceOptions } from "./source/open-sources.ts";
