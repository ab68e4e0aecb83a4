import type { Resource } from "../core/trace/index.ts";
import type { Io } from "./io.ts";
import type { Log } from "./log.ts";
import { Refusal } from "./refusal.ts";
import { printable } from "./terminal-text.ts";
import { readVersion } from "./version.ts";

/** Settings for sending spans, read from the standard variables of OpenTelemetry. */
export interface TelemetrySettings {
  readonly endpoint: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly resource: Resource;
}

const TRACES_PATH = "v1/traces";
const HEADER_NAME = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;
/** Headers that Sluice sets itself. Other values would break the message. */
const OWN_HEADERS: ReadonlySet<string> = new Set(["content-type", "content-length", "host", "transfer-encoding"]);

/** Reads the settings. Null when no spans are to be sent. */
export function readTelemetry(
  { env }: Pick<Io, "env">,
  log: Pick<Log, "warn">,
  version: string = readVersion(),
): TelemetrySettings | null {
  const setting = (name: string): string => (env[name] ?? "").trim();
  if (setting("OTEL_SDK_DISABLED").toLowerCase() === "true" || setting("OTEL_TRACES_EXPORTER") === "none") return null;
  const endpoint = endpointOf(setting);
  if (endpoint === null) return null;
  const protocol = setting("OTEL_EXPORTER_OTLP_TRACES_PROTOCOL") || setting("OTEL_EXPORTER_OTLP_PROTOCOL");
  if (protocol === "grpc") {
    log.warn(
      "no traces are sent: OTEL_EXPORTER_OTLP_PROTOCOL is grpc, and Sluice speaks http/json; " +
        "set it to http/json and the endpoint to the collector's HTTP port (usually 4318)",
    );
    return null;
  }
  const headers = {
    ...headersOf("OTEL_EXPORTER_OTLP_HEADERS", setting),
    ...headersOf("OTEL_EXPORTER_OTLP_TRACES_HEADERS", setting),
  };
  const named = pairsOf("OTEL_RESOURCE_ATTRIBUTES", setting);
  const service = setting("OTEL_SERVICE_NAME") || named.get("service.name") || "sluice";
  const attributes = new Map([...named, ["service.name", service], ["service.version", version]]);
  return { endpoint, headers, resource: { attributes, version } };
}

/** Returns the endpoint. The traces variable is used as written, the general one gets the traces path added. */
function endpointOf(setting: (name: string) => string): string | null {
  const own = setting("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT");
  if (own !== "") return urlOf("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", own).href;
  const base = setting("OTEL_EXPORTER_OTLP_ENDPOINT");
  if (base === "") return null;
  const url = urlOf("OTEL_EXPORTER_OTLP_ENDPOINT", base);
  url.pathname = `${url.pathname.replace(/\/+$/, "")}/${TRACES_PATH}`;
  return url.href;
}

function urlOf(variable: string, text: string): URL {
  const url = URL.canParse(text) ? new URL(text) : null;
  if (url === null || (url.protocol !== "http:" && url.protocol !== "https:")) {
    throw new Refusal(`${variable} must be an http or https URL, such as http://127.0.0.1:4318`);
  }
  return url;
}

function headersOf(variable: string, setting: (name: string) => string): Readonly<Record<string, string>> {
  const pairs = [...pairsOf(variable, setting)].map(([name, value]) => [name.toLowerCase(), value] as const);
  for (const [name, value] of pairs) {
    if (!HEADER_NAME.test(name) || OWN_HEADERS.has(name) || !/^[\t\u0020-\u007e]*$/.test(value)) {
      throw new Refusal(`${variable} holds the header "${printable(name)}", which cannot be sent`);
    }
  }
  return Object.fromEntries(pairs);
}

/** Reads `name=value,name=value` with URL-encoded values. A value may be a secret, so error messages never repeat one. */
function pairsOf(variable: string, setting: (name: string) => string): ReadonlyMap<string, string> {
  const pairs = new Map<string, string>();
  for (const piece of setting(variable).split(",")) {
    if (piece.trim() === "") continue;
    const at = piece.indexOf("=");
    const name = piece.slice(0, Math.max(at, 0)).trim();
    const value = decoded(piece.slice(at + 1).trim());
    if (name === "" || value === null) {
      throw new Refusal(`${variable} must read like name=value,other=value, with %20 for a space and %2C for a comma`);
    }
    pairs.set(name, value);
  }
  return pairs;
}

function decoded(text: string): string | null {
  try {
    return decodeURIComponent(text);
  } catch {
    return null;
  }
}
