import type { z } from "zod";
import type { HandedSecret } from "../adapter/index.ts";
import type { Json } from "../core/base/index.ts";
import type { Clock } from "../clock/index.ts";
import { originOf } from "./address-origin.ts";
import { invalid, readShape, sentDispatchSchema } from "./bridge-body.ts";
import { BridgeRefusal } from "./bridge-problem.ts";
import { callbackOf, lostCallback } from "./callback.ts";
import type { Deliveries } from "./deliveries.ts";
import type { Executions, StartAnswer } from "./executions.ts";
import type { ExecutionReport } from "./open-dispatch.ts";
import { withWarnings } from "./sent-callback.ts";
import { readSentDispatch } from "./sent-dispatch.ts";
import type { BatchReply, CallbackBody, DispatchReply } from "./wire.ts";

export interface DispatchHandlerOptions {
  readonly executions: Executions;
  readonly deliveries: Deliveries;
  readonly clock: Clock;
  /** Maximum number of open dispatches. */
  readonly openMax?: number;
  /** The provider for dispatches that name none. Default: the first adapter. */
  readonly defaultProvider?: string;
  /** Returns the origins to which results may be sent. Null allows every URL that a dispatch names. */
  readonly callbackOrigins?: () => readonly string[] | null;
}

const OPEN_MAX = 1_000;

type SentDispatch = Omit<z.infer<typeof sentDispatchSchema>, "secrets">;

interface ReadDispatch {
  readonly request: SentDispatch;
  readonly secrets: readonly HandedSecret[];
  readonly warnings: readonly string[];
}

/** Receives dispatches: checks them, starts each at most once, and selects the address for its results. */
export class DispatchHandler {
  readonly #options: DispatchHandlerOptions;
  readonly #max: number;
  #isStopping = false;

  constructor(options: DispatchHandlerOptions) {
    this.#options = options;
    this.#max = options.openMax ?? OPEN_MAX;
  }

  stop(): void {
    this.#isStopping = true;
  }

  /** Starts a dispatch whose result is sent to its callback URL. */
  take(sent: Json): DispatchReply {
    const { request, secrets, warnings } = this.#read(sent);
    if (request.callbackUrl === undefined) {
      throw invalid([{ code: "missing", message: "is needed, so that the result can be sent", path: "callbackUrl" }]);
    }
    const { dispatchId } = request;
    const answer = this.#start(request, secrets, this.#options.deliveries.reportOf(request));
    if (answer === "lost") this.#options.deliveries.deliver(this.#lost(request), request.callbackUrl);
    return {
      accepted: true,
      dispatchId,
      ...(answer === "accepted" ? {} : { duplicate: true }),
      ...(warnings.length === 0 ? {} : { warnings }),
    };
  }

  /** Starts several dispatches. Each gets the same answer as it would get alone. */
  takeAll(sent: readonly Json[]): BatchReply<DispatchReply> {
    const results = sent.map((one) => {
      try {
        return { status: 202, body: this.take(one) };
      } catch (thrown) {
        if (!(thrown instanceof BridgeRefusal)) throw thrown;
        return { status: thrown.body.status, body: thrown.body };
      }
    });
    return { results };
  }

  /** Starts a dispatch, or joins a running or ended one with the same id, and waits for the result. */
  async takeAndWait(sent: Json, signal: AbortSignal): Promise<CallbackBody> {
    const { executions, deliveries } = this.#options;
    const { request, secrets, warnings } = this.#read(sent);
    const stream = deliveries.streamOf(request);
    const report: ExecutionReport = {
      stream: stream.push,
      ...deliveries.turnOf(request),
      ended: (outcome) => {
        // When the waiting caller disconnected, the result is sent to the callback URL if there is one.
        const url = signal.aborted ? (request.callbackUrl ?? null) : null;
        deliveries.deliver(callbackOf(outcome, "sync"), url, outcome.times, stream.end());
      },
    };
    if (this.#start(request, secrets, report) === "lost") {
      const body = this.#lost(request);
      deliveries.deliver(body, null);
      return withWarnings<CallbackBody>({ ...body, executionPath: "sync" }, warnings);
    }
    const body = await executions.whenEnded(request.dispatchId);
    await stream.end();
    if (body === undefined) throw stopping();
    return withWarnings<CallbackBody>({ ...body, executionPath: "sync" }, warnings);
  }

  #read(sent: Json): ReadDispatch {
    const { executions, defaultProvider } = this.#options;
    const { body, warnings } = readSentDispatch(sent, defaultProvider ?? executions.providers[0] ?? null);
    // The secrets are removed here, so that no report, journal entry or delivery can contain them.
    const { secrets = [], ...request } = readShape(sentDispatchSchema, body);
    const origins = this.#options.callbackOrigins?.() ?? null;
    for (const path of ["callbackUrl", "streamUrl", "filesUrl", "turnUrl"] as const) {
      const url = request[path];
      if (url === undefined || origins === null) continue;
      const origin = originOf(url);
      if (origin !== null && origins.includes(origin)) continue;
      const message =
        `leads to ${origin ?? url}, and this Bridge reports only to ${origins.join(", ")}; ` +
        "give every replica of the server the same --public-url (SLUICE_PUBLIC_URL)";
      throw invalid([{ code: "callback_origin", message, path }]);
    }
    return { request, secrets, warnings };
  }

  #start(
    request: SentDispatch,
    secrets: readonly HandedSecret[],
    report: ExecutionReport,
  ): "accepted" | "duplicate" | "lost" {
    const { executions } = this.#options;
    if (!executions.isKnown(request.dispatchId)) {
      if (this.#isStopping) throw stopping();
      if (executions.openCount >= this.#max) {
        const detail = `${this.#max} dispatches are open, which is all this Bridge takes; send it again later.`;
        throw new BridgeRefusal("too_many_dispatches", detail, { headers: { "retry-after": "1" } });
      }
    }
    return begun(executions.start(request, report, { secrets }), request, executions.providers);
  }

  #lost(request: SentDispatch): CallbackBody {
    const { executions, clock } = this.#options;
    const startedAt = executions.find(request.dispatchId)?.startedAt;
    return lostCallback(request, startedAt === undefined ? clock.now() : Date.parse(startedAt), clock.now());
  }
}

function begun(
  answer: StartAnswer,
  { provider }: SentDispatch,
  providers: readonly string[],
): "accepted" | "duplicate" | "lost" {
  switch (answer) {
    case "accepted":
    case "duplicate":
    case "lost":
      return answer;
    case "unknown_provider": {
      const message = `no adapter is called "${provider}"; there are ${providers.join(", ") || "none"}`;
      throw new BridgeRefusal("unknown_provider", `${message}.`, {
        problems: [{ code: "unknown_provider", message, path: "provider" }],
      });
    }
    case "unjournalled":
      throw new BridgeRefusal(
        "journal_unavailable",
        "An at_most_once dispatch begins only after its id is on disk, and the disk does not take it; nothing was begun.",
        { headers: { "retry-after": "5" } },
      );
    case "stopping":
      throw stopping();
  }
}

function stopping(): BridgeRefusal {
  return new BridgeRefusal("stopping", "The Bridge is stopping and takes nothing new; send it again later.", {
    headers: { "retry-after": "5" },
  });
}
