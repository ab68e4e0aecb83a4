/**
 * Calls an external service. The address is selected in this order:
 *
 * 1. the input `target`: a name from the configuration (an unknown name is refused);
 * 2. the input `url`: only hosts on the allow list or, when the configuration has `open`, also public ones;
 * 3. a configured target whose name equals the request's model;
 * 4. the message: `METHOD place` or `place`, where the place is a target or a URL.
 *
 * The method is the input `method`, else the one in the message, else the target's, else POST with a body and GET without.
 * The body is a form when the inputs contain files, else the input `body` as JSON, else `stdin` as text, else
 * `{ message, inputs }` as JSON. GET and HEAD have no body.
 */
import { createSystemClock, type Clock } from "../../clock/index.ts";
import {
  ADAPTER_SPECIFICATION,
  type Adapter,
  type AdapterHooks,
  type AdapterRequest,
  type AdapterResult,
} from "../../adapter/index.ts";
import { fetchGuarded, type Resolve } from "../../outbound/index.ts";
import { readConfigSection } from "../config-section.ts";
import type { Environment } from "../environment.ts";
import { fileFailure } from "../file-failure.ts";
import { RunningAttempts } from "../running-attempts.ts";
import { awaitedSecrets, secretLookup, secretsInHeaders } from "../secret-lookup.ts";
import { failureOf, resultOf } from "./answer.ts";
import { FILE_ANSWER_BYTES_MAX, fileOutputOf, isFileAnswer, keepAnswer } from "./file-answer.ts";
import { readCall } from "./call.ts";
import { configSchema, type HttpConfig } from "./config.ts";

const HTTP_PROVIDER = "http";

export interface HttpAdapterOptions {
  /** Used to find `secret://NAME` when no secret of that name came with the dispatch. */
  readonly env: Environment;
  readonly resolve?: Resolve;
  readonly clock?: Clock;
}

export function createHttpAdapter({ env, resolve, clock = createSystemClock() }: HttpAdapterOptions): Adapter {
  let config: HttpConfig = {};
  const running = new RunningAttempts();

  const call = async (
    request: AdapterRequest,
    signal: AbortSignal,
    { files, secret }: Pick<AdapterHooks, "files" | "secret">,
  ): Promise<AdapterResult> => {
    const read = readCall(request, config, (tool) => secretLookup(env, secret, tool), files);
    if (!read.ok) return read.failure;
    const { url, method, headers, body, timeoutMs, allow, isListOnly, redactor } = read.value;
    const output = files === undefined ? undefined : fileOutputOf(request);
    const reply = await fetchGuarded(url, {
      ...(output === undefined ? {} : { bytesMax: FILE_ANSWER_BYTES_MAX }),
      method,
      headers,
      ...(body === undefined ? {} : { body }),
      signal,
      timeoutMs,
      allow,
      isListOnly,
      ...(resolve === undefined ? {} : { resolve }),
    });
    if (reply.ok && output !== undefined && files !== undefined && isFileAnswer(reply))
      return keepAnswer(reply, output, files);
    return reply.ok ? resultOf(reply, redactor, clock.now()) : failureOf(reply);
  };

  const references = () =>
    secretsInHeaders(Object.entries(config.targets ?? {}).map(([name, { headers = {} }]) => [name, headers] as const));

  return {
    specificationVersion: ADAPTER_SPECIFICATION,
    provider: HTTP_PROVIDER,
    initialize(section) {
      return Promise.resolve().then(() => {
        config = readConfigSection(configSchema, section, HTTP_PROVIDER);
      });
    },
    shutdown: () => running.end(),
    checkHealth() {
      const message = awaitedSecrets(references(), env);
      return Promise.resolve({ status: "healthy", ...(message === null ? {} : { message }) });
    },
    capabilities: () => ({ streaming: false, structuredOutput: true, tools: false, deferred: true }),
    secrets: references,
    cancel: (dispatchId) => running.cancel(dispatchId),
    async execute(request, hooks) {
      const { signal, onLog } = hooks;
      const result = await running.run(request.dispatchId, signal, (either) =>
        call(request, either, hooks).catch(fileFailure),
      );
      if (result.status === "deferred" && request.externalCallbackUrl === undefined) {
        const message = "The service answers later, but this request carries no URL at which it could.";
        onLog({ level: "warning", message });
      }
      return result;
    },
  };
}
