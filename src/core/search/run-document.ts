import { isJsonArray, isJsonObject, type Json, type JsonObject } from "../base/index.ts";
import type { RunEvent } from "../event/index.ts";
import { hideCredentials } from "../redaction/index.ts";
import { wordsOf } from "./words.ts";

/** The stored fields of a run by which it can be found. */
export interface SearchedRun {
  readonly runId: string;
  readonly workflow: string;
  readonly args: JsonObject;
  readonly labels: Readonly<Record<string, string>>;
  readonly trigger: string;
  readonly traceId: string;
  readonly parentRunId: string | null;
  readonly model: string | null;
  readonly errorCode: string | null;
  readonly errorMessage: string | null;
}

/** Search data of a run that is not in its row. */
export interface RunDocument {
  readonly words: ReadonlySet<string>;
  readonly agents: ReadonlySet<string>;
  readonly models: ReadonlySet<string>;
  /** Total time between its first and last event during which none of its nodes was executing. */
  readonly waitingMs: number;
}

const WORDS_MAX = 2_000;
const CHARACTERS_MAX = 200_000;
const NAME_LENGTH_MAX = 200;

/** `texts` are the beginnings of values that are too large for the log. */
export function documentOf(run: SearchedRun, events: readonly RunEvent[], texts: readonly string[] = []): RunDocument {
  const words = new WordCollector();
  const [agents, models] = [new Set<string>(), new Set<string>()];
  for (const id of [run.runId, run.workflow, run.trigger, run.traceId, run.parentRunId]) words.add(id);
  words.add(run.errorCode);
  words.add(run.errorMessage);
  for (const text of Object.values(run.labels)) words.add(text);
  words.addJson(run.args);
  addName(models, run.model);
  for (const event of events) {
    if (event.type === "node.started") {
      addName(agents, event.payload.agentId);
      addName(models, event.payload.model);
    }
    if (event.type === "round.completed" || event.type === "cost.recorded") addName(models, event.payload.model);
    if ("nodeId" in event.payload) words.addOnce(event.payload.nodeId);
    addTexts(words, event);
  }
  for (const name of [...agents, ...models]) words.add(name);
  for (const text of texts) words.add(text);
  return { words: words.found, agents, models, waitingMs: waitingIn(events) };
}

/** Sanitises and cuts a name, because Bridges send names too, and an index key holds less than JSON. */
function addName(names: Set<string>, name: string | null | undefined): void {
  const text = name?.replaceAll(/[\p{Cc}\p{Cs}]/gu, " ").slice(0, NAME_LENGTH_MAX) ?? "";
  if (text !== "") names.add(text);
}

function addTexts(words: WordCollector, event: RunEvent): void {
  switch (event.type) {
    case "node.completed":
      words.addJson(event.payload.outputs);
      return words.addJson(event.payload.envelope.output);
    case "run.completed":
      return words.addJson(event.payload.outputs ?? {});
    case "node.failed":
    case "node.timed_out":
    case "node.retried":
      words.add(event.payload.errorCode);
      return words.add(event.payload.errorMessage);
    case "run.failed":
    case "run.cancelled":
    case "run.timed_out":
      words.add(event.payload.errorCode);
      return words.add(event.payload.reason);
    default:
      return undefined;
  }
}

/** Collects the words of texts after credentials have been removed. */
class WordCollector {
  readonly found = new Set<string>();
  readonly #names = new Set<string>();
  #left = CHARACTERS_MAX;

  add(text: string | null | undefined): void {
    if (text === null || text === undefined || this.#left <= 0 || this.found.size >= WORDS_MAX) return;
    const part = text.slice(0, this.#left);
    this.#left -= part.length;
    for (const word of wordsOf(hideCredentials(part))) {
      if (this.found.size >= WORDS_MAX) return;
      this.found.add(word);
    }
  }

  /** Adds a name once, although many events contain it. */
  addOnce(name: string | undefined): void {
    if (name === undefined || this.#names.has(name)) return;
    this.#names.add(name);
    this.add(name);
  }

  /** Adds the values only. Names of members come from the workflow and are the same in all its runs. */
  addJson(root: Json): void {
    const open: Json[] = [root];
    for (let next = open.pop(); next !== undefined; next = open.pop()) {
      if (typeof next === "string") this.add(next);
      else if (typeof next === "number") this.add(String(next));
      else if (isJsonArray(next)) open.push(...next.slice(0, WORDS_MAX).toReversed());
      else if (isJsonObject(next)) open.push(...Object.values(next).slice(0, WORDS_MAX).toReversed());
    }
  }
}

const ENDS_WORK: ReadonlySet<string> = new Set([
  "node.completed",
  "node.failed",
  "node.timed_out",
  "node.cancelled",
  "node.retried",
  "node.blocked",
  "node.queued",
  "node.invalidated",
]);

function waitingIn(events: readonly RunEvent[]): number {
  const working = new Set<string>();
  let [waited, before] = [0, events[0]?.at ?? 0];
  for (const { type, at, payload } of events) {
    if (working.size === 0) waited += Math.max(0, at - before);
    before = Math.max(before, at);
    if (!("nodeId" in payload) || payload.nodeId === undefined) continue;
    if (type === "node.started") working.add(payload.nodeId);
    else if (ENDS_WORK.has(type)) working.delete(payload.nodeId);
  }
  return waited;
}
