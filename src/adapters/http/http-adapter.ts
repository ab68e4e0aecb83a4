/**
 * Calls a service outside. Which one is decided in this order:
 *
 * 1. the input `target`: a name from the configuration (an unknown one is refused);
 * 2. the input `url`: only hosts on the allow list or, when the configuration has `open`, public ones;
 * 3. a configured target called like the request's model.
 *
 * The method is the target's own, else the input `method`, else POST. The body is a form when there are files among the
 * inputs, else the input `body` as JSON, else `stdin` as text, else `{ message, inputs }` as JSON; GET and HEAD have none.
 */
import { createSystemClock, type Clock } from "../../clock/index.ts";
import {
  ADAPTER_SPECIFICATION,
  type Adapter,
  type AdapterFiles,
  type AdapterRequest,
  type AdapterResult,
} from "../../adapter/index.ts";
import { fetchGuarded, type Resolve } from "../../outbound/index.ts";
import { readConfigSection } from "../config-section.ts";
import type { Environment } from "../environment.ts";
import { fileFailure } from "../file-trouble.ts";
import { RunningAttempts } from "../running-attempts.ts";
import { failureOf, resultOf } from "./answer.ts";
import { FILE_ANSWER_BYTES_MAX, fileOutputOf, isFileAnswer, keepAnswer } from "./file-answer.ts";
import { readCall } from "./call.ts";
import { configSchema, type HttpConfig } from "./config.ts";
import { missingSecrets } from "./secret-header.ts";

const HTTP_PROVIDER = "http";

export interface HttpAdapterOptions {
  /** Where `secret://NAME` is looked up. */
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
    files: AdapterFiles | undefined,
  ): Promise<AdapterResult> => {
    const read = readCall(request, config, env, files);
    if (!read.ok) return read.failure;
    const { url, method, headers, body, timeoutMs, allow, isListOnly, secrets } = read.value;
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
    return reply.ok ? resultOf(reply, secrets, clock.now()) : failureOf(reply);
  };

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
      const missing = Object.values(config.targets ?? {}).flatMap(({ headers }) => missingSecrets(headers ?? {}, env));
      if (missing.length === 0) return Promise.resolve({ status: "healthy" });
      const message = `Targets need environment variables that are not set: ${[...new Set(missing)].join(", ")}.`;
      return Promise.resolve({ status: "degraded", message });
    },
    capabilities: () => ({ streaming: false, structuredOutput: true, tools: false, deferred: true }),
    cancel: (dispatchId) => running.cancel(dispatchId),
    async execute(request, { signal, onLog, files }) {
      const result = await running.run(request.dispatchId, signal, (either) =>
        call(request, either, files).catch(fileFailure),
      );
      if (result.status === "deferred" && request.externalCallbackUrl === undefined) {
        const message = "The service answers later, but this request carries no URL at which it could.";
        onLog({ level: "warning", message });
      }
      return result;
    },
  };
}
