export { startTelemetry } from "./telemetry.ts";
