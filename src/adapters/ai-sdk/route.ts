import { fail, succeed, type Outcome } from "../../core/base/index.ts";
import type { Environment } from "../environment.ts";
import type { AiSdkConfig, EndpointKind } from "./config.ts";
import type { CallFailure } from "./call-failure.ts";

/** The provider id that takes its vendor from the model. */
export const AI_SDK_PROVIDER = "ai-sdk";
const VENDORS = ["openai", "anthropic", "google"] as const;
/** Ids the adapter can answer to without any configuration. */
export const AI_SDK_PROVIDERS: readonly string[] = [AI_SDK_PROVIDER, ...VENDORS];

/** Where a vendor is reached, and with which key. */
interface Endpoint {
  readonly kind: EndpointKind;
  readonly baseUrl: string;
  /** Null: the endpoint asks for no key. */
  readonly keyName: string | null;
}

/** Where a request goes. */
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

/** All endpoints by vendor: the three built in, and those an operator added or changed. */
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

/** An empty variable is an absent one. */
function setting(env: Environment, name: string | undefined): string | undefined {
  const value = name === undefined || !Object.hasOwn(env, name) ? undefined : env[name]?.trim();
  return value === "" ? undefined : value;
}

/** Anthropic's own tools take its address without the version, the SDK takes it with. */
function versioned(kind: EndpointKind, address: string): string {
  const trimmed = address.replace(/\/+$/, "");
  return kind === "anthropic" && /^https?:\/\/[^/]+$/.test(trimmed) ? `${trimmed}/v1` : trimmed;
}

export interface RouteQuery {
  readonly provider: string;
  /** Null: the model names it. */
  readonly vendor: string | null;
  readonly model: string | undefined;
  readonly endpoints: ReadonlyMap<string, Endpoint>;
  readonly env: Environment;
}

/** The default model as far as it concerns a vendor: one that names another vendor is meant for that one. */
export function defaultModelFor(
  vendor: string | null,
  model: string | undefined,
  endpoints: RouteQuery["endpoints"],
): string | undefined {
  const named = vendor === null || model === undefined ? null : splitModel(model);
  const isOthers = named !== null && named.vendor !== vendor && endpoints.has(named.vendor);
  return isOthers ? undefined : model;
}

/** Finds vendor, model and key, or reports what is missing and what to do about it. */
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

/** The key of an endpoint; null when it asks for none. */
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

/** Model ids may themselves hold `:` and `/`; only the vendor's own name is taken off. */
function withoutPrefix(model: string, vendor: string): string {
  const isPrefixed = model.startsWith(`${vendor}:`) || model.startsWith(`${vendor}/`);
  return isPrefixed ? model.slice(vendor.length + 1) : model;
}
