export { startTelemetry, type Telemetry, type TelemetryFigures, type TelemetryOptions } from "./telemetry.ts";
