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
export { createSystemClock, type Clock, type Stop } from "./clock.ts";
export { createVirtualClock, type VirtualClock } from "./virtual-clock.ts";
export { performDispatch, type Delivery } from "./dispatch.ts";
export { createPartialBatcher, type PartialBatcher } from "./partials.ts";
export { createFileLedger, type Ledger } from "./scripted/ledger.ts";
export { EMPTY_SCRIPT, readScript, type Script } from "./scripted/script.ts";
export { createScriptedAdapter, SCRIPTED_PROVIDER } from "./scripted/scripted-adapter.ts";
