export { configSchemaOf } from "./config-schema.ts";
export { ADAPTER_NAMES, type AdapterName, type AdapterSetup, closeAdapters, openAdapters } from "./open-adapters.ts";
export { createFileLedger, type Ledger, type LedgerCall } from "./scripted/ledger.ts";
export { EMPTY_SCRIPT, readScript, type Script } from "../core/script/index.ts";
export { createScriptedAdapter, SCRIPTED_PROVIDER } from "./scripted/scripted-adapter.ts";
