import type { JudgedNode, NodeDetail } from "../contract/index.ts";
import { getOwn, type JsonObject } from "../core/base/index.ts";
import { type EventOf, isSettling, type NodeStatus, type RunEvent, settledStatusOf } from "../core/event/index.ts";
import { isoFromEpochMs, NO_RESULT } from "../core/view/index.ts";
import { sentInstructions } from "../core/plan/index.ts";
import type { BoundRequest } from "../core/engine/index.ts";
import type { AttemptReport } from "../store/index.ts";

type Attempt = NodeDetail["attempts"][number];
export type NodeHistory = Pick<NodeDetail, "promptBy" | "resultBy" | "attempts" | "verdicts" | "inputs">;

/** The history of one node, attempt by attempt, read from its log. */
export class NodeLog {
  readonly #nodeId: string;
  readonly #attempts = new Map<number, Attempt>();
  readonly #verdicts: NodeDetail["verdicts"][number][] = [];
  readonly #inputs: NodeDetail["inputs"][number][] = [];
  #newestStart: { readonly attempt: number; readonly eventId: number } | null = null;
  #newestRequest: NodeDetail["request"] = null;
  #promptBy: string | null = null;
  #resultBy: string | null = null;

  constructor(nodeId: string) {
    this.#nodeId = nodeId;
  }

  take(event: RunEvent): void {
    if (event.type === "run.started") this.#promptBy = getOwn(event.payload.prompts ?? {}, this.#nodeId)?.by ?? null;
    if (!("nodeId" in event.payload) || event.payload.nodeId !== this.#nodeId) return;
    if (event.type === "gate.decided") this.#verdict(event);
    else if (event.type === "node.provenance") this.#input(event);
    else if (event.type === "node.started") this.#start(event);
    else if (event.type === "node.invalidated") this.#resultBy = null;
    else if (event.type === "node.completed") this.#complete(event);
    else if (event.payload.attempt !== undefined) this.#follow(event, event.payload.attempt);
  }

  history(): NodeHistory {
    const attempts = [...this.#attempts.values()].sort((left, right) => left.attempt - right.attempt);
    const [promptBy, resultBy] = [this.#promptBy, this.#resultBy];
    return { promptBy, resultBy, attempts, verdicts: this.#verdicts, inputs: this.#inputs };
  }

  /** Adds the data an attempt reported besides its result. */
  addReport({ attempt: number, sessionId, messages, logs }: AttemptReport): void {
    const attempt = this.#attempts.get(number);
    if (attempt === undefined) return;
    const adapterLogs = logs === "" ? [] : logs.split("\n").map((line) => JSON.parse(line) as JsonObject);
    this.#attempts.set(number, { ...attempt, adapterLogs, sessionId, conversation: [...messages] });
  }

  /** Adds the request of an attempt; its text and inputs are layers of the prompt as well. */
  addRequest(number: number, { message, stdin, inputs }: BoundRequest): void {
    const attempt = this.#attempts.get(number);
    if (attempt === undefined) return;
    const request = { message, stdin, inputs: { ...inputs } };
    const work = { layer: 6, source: `node ${this.#nodeId}`, text: message };
    const given = stdin === null && Object.keys(inputs).length === 0 ? [] : [callerInput(stdin, request.inputs)];
    const instructions = [...attempt.instructions, work, ...given].sort((left, right) => left.layer - right.layer);
    this.#attempts.set(number, { ...attempt, request, instructions });
    if (this.#newestStart?.attempt === number) this.#newestRequest = { attempt: number, ...request };
  }

  get newestRequest(): NodeDetail["request"] {
    return this.#newestRequest;
  }

  /** Adds the explanation of a verdict. */
  explain({ verdictId, explanation }: Pick<JudgedNode, "verdictId" | "explanation">): void {
    for (const [index, decided] of this.#verdicts.entries()) {
      if (decided.verdictId === verdictId) this.#verdicts[index] = { ...decided, explanation };
    }
  }

  #complete(event: EventOf<"node.completed">): void {
    this.#resultBy = event.payload.by ?? null;
    if (event.payload.attempt !== undefined) this.#follow(event, event.payload.attempt);
  }

  #verdict({ eventId, payload }: EventOf<"gate.decided">): void {
    const { verdictId, disposition, gate, code } = payload;
    const decided = { eventId, verdictId, disposition, gate: gate ?? null, code: code ?? null };
    this.#verdicts.push({ ...decided, explanation: null });
  }

  #input({ payload }: EventOf<"node.provenance">): void {
    const { nodeId: _node, attempt: _attempt, transform, ...handOff } = payload;
    this.#inputs.push({ ...handOff, ...(transform === undefined ? {} : { transform }) });
  }

  #start({ at, eventId, payload }: EventOf<"node.started">): void {
    const { attempt = 0, verdictId, agentId, gatewayId, provider, model, executionPath, instructions = [] } = payload;
    this.#newestStart = { attempt, eventId };
    const before = payload.segment === undefined ? undefined : this.#attempts.get(attempt);
    if (before !== undefined) {
      // The attempt continues after a pause and keeps its cost and logs.
      const route = { agentId, gatewayId, provider, model, executionPath };
      this.#attempts.set(attempt, { ...before, status: "running", verdictId, route });
      return;
    }
    this.#attempts.set(attempt, {
      attempt,
      status: "running",
      startedAt: isoFromEpochMs(at),
      endedAt: null,
      verdictId,
      route: { agentId, gatewayId, provider, model, executionPath },
      request: null,
      instructions: instructionsOf(provider, instructions),
      ...NO_RESULT,
      costMicros: 0,
      inputTokens: 0,
      outputTokens: 0,
      streamedText: "",
      logs: [],
      adapterLogs: [],
      sessionId: null,
      conversation: [],
    });
  }

  #follow(event: RunEvent, number: number): void {
    const attempt = this.#attempts.get(number);
    if (attempt === undefined) return;
    const status = attemptEndOf(event);
    // A late event about an attempt that has ended, such as its cost, does not end it again.
    const isEnding = status !== null && attempt.endedAt === null;
    this.#attempts.set(number, {
      ...attempt,
      ...(isEnding ? endOf(event, status, attempt) : {}),
      ...moreOf(event, attempt),
    });
  }
}

/** Also for a provider that reads no instructions: they were decided for the attempt, and simulations show them. */
function instructionsOf(provider: string | null, decided: Attempt["instructions"]): Attempt["instructions"] {
  const sent = sentInstructions(provider, decided);
  return (sent.length === 0 ? decided : sent).map((one) => ({ ...one }));
}

/** Returns the status of an attempt after an event that ends it; null for every other event. */
function attemptEndOf(event: RunEvent): NodeStatus | null {
  if (event.type === "node.retried") return "failed";
  return isSettling(event) ? settledStatusOf(event.type) : null;
}

function endOf(event: RunEvent, status: NodeStatus, { startedAt }: Attempt): Partial<Attempt> {
  const ended = {
    status,
    endedAt: isoFromEpochMs(event.at),
    durationMs: startedAt === null ? null : event.at - Date.parse(startedAt),
  };
  switch (event.type) {
    case "node.completed":
      return { ...ended, outputs: event.payload.outputs, output: event.payload.envelope.output };
    case "node.failed":
    case "node.timed_out":
    case "node.retried":
      return { ...ended, errorCode: event.payload.errorCode, errorMessage: event.payload.errorMessage };
    case "node.skipped":
      return {
        ...ended,
        errorCode: event.payload.errorCode ?? event.payload.reason,
        errorMessage: event.payload.errorMessage ?? null,
      };
    case "node.cancelled":
      return { ...ended, errorCode: event.payload.reason };
    default:
      return ended;
  }
}

function moreOf(event: RunEvent, attempt: Attempt): Partial<Attempt> {
  switch (event.type) {
    case "cost.recorded": {
      const { costMicros, tokens, model } = event.payload;
      return {
        costMicros: attempt.costMicros + costMicros,
        inputTokens: attempt.inputTokens + tokens.inputTokens,
        outputTokens: attempt.outputTokens + tokens.outputTokens,
        ...(typeof model === "string" ? { route: { ...attempt.route, model } } : {}),
      };
    }
    case "node.stream.delta":
      return {
        streamedText: attempt.streamedText + (event.payload.text ?? ""),
        ...(attempt.endedAt === null ? { status: "streaming" as const } : {}),
      };
    case "node.log": {
      const { level, message, detail } = event.payload;
      const entry = { eventId: event.eventId, level, message, ...(detail === undefined ? {} : { detail }) };
      return { logs: [...attempt.logs, entry] };
    }
    default:
      return {};
  }
}

function callerInput(stdin: string | null, inputs: JsonObject): Attempt["instructions"][number] {
  const parts = [stdin ?? "", Object.keys(inputs).length === 0 ? "" : JSON.stringify(inputs)];
  return { layer: 8, source: "inputs", text: parts.filter((part) => part !== "").join("\n") };
}
