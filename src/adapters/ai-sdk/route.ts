import { fail, succeed, type Outcome } from "../../core/base/index.ts";
import type { Environment } from "../environment.ts";
import type { AiSdkConfig, EndpointKind } from "./config.ts";
import type { CallFailure } from "./call-failure.ts";

/** The provider id for which the model name contains the vendor. */
export const AI_SDK_PROVIDER = "ai-sdk";
const VENDORS = ["openai", "anthropic", "google"] as const;
/** Provider ids that work without any configuration. */
export const AI_SDK_PROVIDERS: readonly string[] = [AI_SDK_PROVIDER, ...VENDORS];

/** The address of a vendor and the name of its key. */
interface Endpoint {
  readonly kind: EndpointKind;
  readonly baseUrl: string;
  /** The environment variable with the key. Null when the endpoint needs no key. */
  readonly keyName: string | null;
}

/** The destination of a request: vendor, model, address and key. */
export interface Route {
  readonly vendor: string;
  readonly modelId: string;
  readonly kind: EndpointKind;
  readonly baseUrl: string;
  readonly apiKey: string | null;
}

const DEFAULTS: Readonly<Record<EndpointKind, { readonly baseUrl: string; readonly keyName: string | null }>> = {
  openai: { baseUrl: "https://api.openai.com/v1", keyName: "OPENAI_API_KEY" },
  anthropic: { baseUrl: "https://api.anthropic.com/v1", keyName: "ANTHROPIC_API_KEY" },
  google: { baseUrl: "https://generativelanguage.googleapis.com/v1beta", keyName: "GOOGLE_GENERATIVE_AI_API_KEY" },
  "openai-compatible": { baseUrl: "", keyName: null },
};
const BASE_URL_NAMES: ReadonlyMap<string, string> = new Map([
  ["openai", "OPENAI_BASE_URL"],
  ["anthropic", "ANTHROPIC_BASE_URL"],
]);

/** Returns all endpoints by vendor: the three built-in ones and those that an operator added or changed. */
export function endpointsOf(config: AiSdkConfig, env: Environment): ReadonlyMap<string, Endpoint> {
  const builtIn = VENDORS.map((vendor): [string, Endpoint] => {
    const { baseUrl, keyName } = DEFAULTS[vendor];
    const given = setting(env, BASE_URL_NAMES.get(vendor));
    return [vendor, { kind: vendor, baseUrl: versioned(vendor, given ?? baseUrl), keyName }];
  });
  const added = Object.entries(config.endpoints ?? {}).map(([name, endpoint]): [string, Endpoint] => {
    const { baseUrl, keyName } = DEFAULTS[endpoint.kind];
    const address = endpoint.base_url ?? setting(env, BASE_URL_NAMES.get(endpoint.kind)) ?? baseUrl;
    const key = endpoint.api_key_env ?? keyName;
    return [name, { kind: endpoint.kind, baseUrl: versioned(endpoint.kind, address), keyName: key }];
  });
  return new Map([...builtIn, ...added]);
}

/** Returns the value of an environment variable. An empty variable counts as absent. */
function setting(env: Environment, name: string | undefined): string | undefined {
  const value = name === undefined || !Object.hasOwn(env, name) ? undefined : env[name]?.trim();
  return value === "" ? undefined : value;
}

/** Adds `/v1` to Anthropic addresses: Anthropic's own tools expect the address without it, the SDK with it. */
function versioned(kind: EndpointKind, address: string): string {
  const trimmed = address.replace(/\/+$/, "");
  return kind === "anthropic" && /^https?:\/\/[^/]+$/.test(trimmed) ? `${trimmed}/v1` : trimmed;
}

export interface RouteQuery {
  readonly provider: string;
  /** Null when the model name contains the vendor. */
  readonly vendor: string | null;
  readonly model: string | undefined;
  readonly endpoints: ReadonlyMap<string, Endpoint>;
  readonly env: Environment;
}

/** Returns the default model for a vendor. Undefined when the default model names another vendor. */
export function defaultModelFor(
  vendor: string | null,
  model: string | undefined,
  endpoints: RouteQuery["endpoints"],
): string | undefined {
  const named = vendor === null || model === undefined ? null : splitModel(model);
  const isOthers = named !== null && named.vendor !== vendor && endpoints.has(named.vendor);
  return isOthers ? undefined : model;
}

/** Finds vendor, model and key. A failure explains what is missing and how to fix it. */
export function findRoute(query: RouteQuery): Outcome<Route, CallFailure> {
  const { provider, vendor, model, endpoints } = query;
  if (model === undefined || model === "") {
    const example = vendor === null ? "openai:gpt-5" : "the vendor's model id";
    return refuse(
      `No model is named: set the model of the step or agent, or default_model of the adapter "${provider}" (${example}).`,
    );
  }
  const named = vendor === null ? splitModel(model) : { vendor, modelId: withoutPrefix(model, vendor) };
  const endpoint = named === null ? undefined : endpoints.get(named.vendor);
  if (named === null || endpoint === undefined) {
    const known = [...endpoints.keys()].join(", ");
    return refuse(
      `The model ${JSON.stringify(model)} names no known vendor: write it as "vendor:model" with one of ${known}, or add an endpoint.`,
    );
  }
  if (named.modelId === "") return refuse(`The model ${JSON.stringify(model)} names a vendor and no model.`);
  const apiKey = keyOf(endpoint, named.vendor, query.env);
  if (!apiKey.ok) return apiKey;
  const { kind, baseUrl } = endpoint;
  return succeed({ vendor: named.vendor, modelId: named.modelId, kind, baseUrl, apiKey: apiKey.value });
}

/** Returns the key of an endpoint. Null when it needs none. */
export function keyOf(
  { keyName }: Pick<Endpoint, "keyName">,
  vendor: string,
  env: Environment,
): Outcome<string | null, CallFailure> {
  if (keyName === null) return succeed(null);
  const key = setting(env, keyName);
  if (key !== undefined) return succeed(key);
  const message = `There is no key for ${vendor}: set ${keyName} in the environment of the Bridge.`;
  return fail({ failure: "provider_auth", message });
}

function refuse(message: string): Outcome<never, CallFailure> {
  return fail({ failure: "provider_refused", message });
}

function splitModel(model: string): { readonly vendor: string; readonly modelId: string } | null {
  const at = model.search(/[:/]/);
  return at === -1 ? null : { vendor: model.slice(0, at), modelId: model.slice(at + 1) };
}

/** Removes the vendor's own name from a model id. The rest may contain `:` and `/`. */
function withoutPrefix(model: string, vendor: string): string {
  const isPrefixed = model.startsWith(`${vendor}:`) || model.startsWith(`${vendor}/`);
  return isPrefixed ? model.slice(vendor.length + 1) : model;
}
