export {
  ADAPTER_SPECIFICATION,
  adapterModelsSchema,
  adapterRequestSchema,
  adapterResultSchema,
  type Adapter,
  type AdapterCapabilities,
  type AdapterHealth,
  type AdapterHooks,
  type AdapterModels,
  type AdapterRequest,
  type AdapterResult,
  type LogLine,
  type StreamPart,
} from "./adapter.ts";
export type { AdapterFiles } from "./adapter-files.ts";
export {
  type FindSecret,
  type HandedSecret,
  handedSecretSchema,
  type SecretReference,
  secretReferenceSchema,
} from "./handed-secret.ts";
export { checkAdapter, type ConformanceOptions } from "./conformance.ts";
export type { ConformanceCheck, ConformanceReport } from "./conformance-report.ts";
export type { Sample } from "./conformance-request.ts";
