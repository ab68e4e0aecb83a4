import { fail, filesIn, getOwn, jsonToText, succeed, type Json, type Outcome } from "../../core/base/index.ts";
import { hostOf } from "../../core/governance/index.ts";
import type { AdapterFiles, AdapterRequest, AdapterResult } from "../../adapter/index.ts";
import type { Redactor } from "../../core/redaction/index.ts";
import { createAllowList, type AllowList, type StreamedBody } from "../../outbound/index.ts";
import type { SecretLookup } from "../secret-lookup.ts";
import { METHODS, type HttpConfig, type Method, type Target } from "./config.ts";
import { multipartOf } from "./multipart.ts";
import { fillHeaders } from "./secret-header.ts";

/** The HTTP call that is made for a request of the engine. */
export interface Call {
  readonly url: string;
  readonly method: Method;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | StreamedBody | undefined;
  readonly timeoutMs: number;
  readonly allow: AllowList;
  readonly isListOnly: boolean;
  readonly redactor: Redactor;
}

type Failed = Extract<AdapterResult, { status: "failed" }>;

const TIMEOUT_MS = 30_000;

export function readCall(
  request: AdapterRequest,
  config: HttpConfig,
  lookupFor: (tool: string) => SecretLookup,
  files?: AdapterFiles,
): Outcome<Call, Failed> {
  const place = findPlace(request, config);
  if (!place.ok) return place;
  const { url, target, name } = place.value;
  const called = target === null ? hostIn(url) : name;
  if (request.tool !== undefined && called !== null && request.tool !== called) {
    const hint = "Name it by the input target, or write the address as it is called.";
    return refused("tool_mismatch", `The call was judged as ${request.tool}, but would go to ${called}. ${hint}`);
  }
  const method = readMethod(request, target, place.value.method);
  if (!method.ok) return method;
  const filled = fillHeaders(target?.headers ?? {}, lookupFor(name));
  if (!filled.ok) {
    const message = `${filled.failure} A header of this target needs it.`;
    return fail({ status: "failed", failure: "provider_auth", message });
  }
  const body = method.value === "GET" || method.value === "HEAD" ? null : bodyOf(request, files);
  // The operator allowed the target's own address. A redirect is checked like any other URL.
  const allow = createAllowList([...(config.allow ?? []), ...(target === null ? [] : [hostAndPort(url)])]);
  if (!allow.ok) return refused("url_host", allow.failure);
  return succeed({
    url,
    method: method.value,
    headers: {
      accept: "application/json, text/plain;q=0.9, */*;q=0.5",
      ...(body === null ? {} : { "content-type": body.type }),
      ...Object.fromEntries(Object.entries(filled.value.headers).map(([name, value]) => [name.toLowerCase(), value])),
      ...headersOf(request),
    },
    body: body?.content,
    timeoutMs: Math.min(target?.timeout_ms ?? Infinity, request.timeoutMs ?? target?.timeout_ms ?? TIMEOUT_MS),
    allow: allow.value,
    isListOnly: config.open !== true,
    redactor: filled.value.redactor,
  });
}

interface Place {
  readonly url: string;
  /** Null when the author of the workflow wrote the URL. */
  readonly target: Target | null;
  /** The name of the target. Empty when there is none. */
  readonly name: string;
  /** The method at the start of the message, as in `POST billing`. */
  readonly method?: Method | undefined;
}

function findPlace({ inputs, model, message }: AdapterRequest, config: HttpConfig): Outcome<Place, Failed> {
  const targets = config.targets ?? {};
  const named = getOwn(inputs, "target");
  if (named !== undefined && named !== null) {
    const target = typeof named === "string" ? getOwn(targets, named) : undefined;
    return target === undefined
      ? unknownTarget(named, targets)
      : succeed({ url: target.url, target, name: jsonToText(named) });
  }
  const url = getOwn(inputs, "url");
  if (typeof url === "string") return succeed({ url, target: null, name: "" });
  const target = model === undefined ? undefined : getOwn(targets, model);
  return target === undefined ? placeIn(message, targets) : succeed({ url: target.url, target, name: model ?? "" });
}

/** Matches a whole message that is `METHOD place` or `place`. A longer text names no place. */
const PLACE = new RegExp(`^(?:(${METHODS.join("|")})\\s+)?(\\S+)$`);

function placeIn(message: string, targets: NonNullable<HttpConfig["targets"]>): Outcome<Place, Failed> {
  const [, written, place = ""] = PLACE.exec(message.trim()) ?? [];
  const method = METHODS.find((name) => name === written);
  const target = getOwn(targets, place);
  if (target !== undefined) return succeed({ url: target.url, target, name: place, method });
  if (/^https?:\/\//i.test(place)) return succeed({ url: place, target: null, name: "", method });
  if (method !== undefined) return unknownTarget(place, targets);
  return refused(
    "no_target",
    'The node names no place to call: write it as its command ("GET https://…", or a configured target), ' +
      "give the input target or url, or a model called like a target.",
  );
}

function unknownTarget(named: Json, targets: NonNullable<HttpConfig["targets"]>): Outcome<never, Failed> {
  const known = Object.keys(targets).join(", ");
  const hint = known === "" ? "No target is configured." : `Configured are: ${known}.`;
  return refused("target_not_configured", `There is no target ${JSON.stringify(named)}. ${hint}`);
}

/** Returns the method of the node, else of the target. Default: POST when there is a body, otherwise GET. */
function readMethod(
  { inputs, stdin }: AdapterRequest,
  target: Target | null,
  written: Method | undefined,
): Outcome<Method, Failed> {
  const given = getOwn(inputs, "method") ?? written;
  const fixed = target?.method;
  const hasBody = getOwn(inputs, "body") !== undefined || stdin !== undefined || filesIn(inputs).length > 0;
  if (given === undefined || given === null) return succeed(fixed ?? (hasBody ? "POST" : "GET"));
  const method = METHODS.find((name) => typeof given === "string" && name === given.toUpperCase());
  if (method === undefined) {
    return refused("method_not_allowed", `The input method is ${JSON.stringify(given)}; use ${METHODS.join(", ")}.`);
  }
  if (fixed === undefined || fixed === method) return succeed(method);
  return refused("method_not_allowed", `The target is called with ${fixed}, not with ${method}.`);
}

interface SentBody {
  readonly type: string;
  readonly content: string | StreamedBody;
}

function bodyOf(request: AdapterRequest, files: AdapterFiles | undefined): SentBody {
  const { inputs, stdin, message } = request;
  if (files !== undefined && filesIn(inputs).length > 0) {
    const { type, body } = multipartOf(request, files);
    return { type, content: body };
  }
  const given = getOwn(inputs, "body");
  if (given !== undefined) return { type: "application/json", content: JSON.stringify(given) };
  if (stdin !== undefined) return { type: "text/plain; charset=utf-8", content: stdin };
  return { type: "application/json", content: JSON.stringify({ message, inputs }) };
}

function headersOf(request: AdapterRequest): Readonly<Record<string, string>> {
  const { traceparent, externalCallbackUrl } = request;
  return {
    "idempotency-key": printable(request.idempotencyKey),
    "x-sluice-run": printable(request.runId),
    "x-sluice-step": printable(request.stepId),
    ...(traceparent === undefined ? {} : { traceparent: printable(traceparent) }),
    ...(externalCallbackUrl === undefined ? {} : { "x-sluice-callback-url": printable(externalCallbackUrl) }),
  };
}

/** Replaces characters that are not printable ASCII, because a header cannot safely contain them. */
function printable(text: string): string {
  return text.replaceAll(/[^\x20-\x7e]/g, "?");
}

/** Returns the host in the form used for judging a call. Null when the URL is invalid; it is refused later. */
function hostIn(url: string): string | null {
  if (!URL.canParse(url)) return null;
  const { protocol, host } = new URL(url);
  return hostOf(`${protocol}//${host}`);
}

export function hostAndPort(text: string): string {
  const url = new URL(text);
  const port = url.port === "" ? (url.protocol === "https:" ? "443" : "80") : url.port;
  return `${url.hostname}:${port}`;
}

function refused(code: string, message: string): { readonly ok: false; readonly failure: Failed } {
  return fail({ status: "failed", failure: "provider_refused", message: `${code}: ${message}` });
}
