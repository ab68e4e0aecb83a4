export {
  ADAPTER_SPECIFICATION,
  adapterRequestSchema,
  adapterResultSchema,
  type Adapter,
  type AdapterCapabilities,
  type AdapterHealth,
  type AdapterHooks,
  type AdapterRequest,
  type AdapterResult,
  type LogLine,
  type StreamPart,
} from "./adapter.ts";
