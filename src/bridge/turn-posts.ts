import { z } from "zod";
import type { Json } from "../core/base/index.ts";
import type { PeerFailure, PeerReply } from "../outbound/index.ts";
import { retryAfterMs, type Send } from "./peer-send.ts";
import type { TurnKind } from "./sent-turn.ts";
import { CALLBACK_BATCH_PATH, CALLBACKS_PER_BATCH_MAX, GATEWAY_TOKEN_HEADER, TURN_PATH } from "./wire.ts";

export interface TurnPostOptions {
  readonly clock: { now(): number };
  readonly send: Send;
  readonly token: () => string;
}

/** One report or ruling request of a turn. */
export interface TurnPost {
  readonly kind: TurnKind;
  readonly dispatchId: string;
  readonly body: object;
  /** True when the answer may be late, because a person or a script must finish first. Such a post is not sent in a batch. */
  readonly isAlone: boolean;
  readonly signal: AbortSignal;
}

/** The answer of the server. `status` is null when none came. */
export interface TurnAnswer {
  readonly status: number | null;
  readonly body: unknown;
  readonly retryAfterMs: number | null;
}

interface Queued {
  readonly post: TurnPost;
  readonly text: string;
  readonly answer: (answer: TurnAnswer) => void;
}

/** Longer than the server holds a request that waits for a person's answer. */
const REQUEST_MS = 40_000;
const REPLY_BYTES_MAX = 16 * 1_048_576;
/** Maximum number of parallel requests. Reports that arrive in the meantime are sent together in the next request. */
const REQUESTS_MAX = 4;
const BATCH_CHARACTERS_MAX = 1_048_576;
const NO_ANSWER: TurnAnswer = { status: null, body: null, retryAfterMs: null };

const batchReplySchema = z.object({ results: z.array(z.object({ status: z.number(), body: z.unknown() })) });

/** Sends the reports of a Bridge's turns to one server: separately while there are few, otherwise in batches. */
export class TurnPosts {
  readonly #url: string;
  readonly #options: TurnPostOptions;
  readonly #queue: Queued[] = [];
  #underWay = 0;

  constructor(turnUrl: string, options: TurnPostOptions) {
    this.#url = turnUrl;
    this.#options = options;
  }

  /** Sends a report once. Never rejects. */
  post(post: TurnPost): Promise<TurnAnswer> {
    const { kind: type, dispatchId, body, isAlone } = post;
    const text = JSON.stringify({ type, dispatchId, ...body });
    if (isAlone) return this.#alone(post, text);
    return new Promise((answer) => {
      this.#queue.push({ post, text, answer });
      this.#pump();
    });
  }

  #pump(): void {
    while (this.#underWay < REQUESTS_MAX && this.#queue.length > 0) {
      const batch = this.#take();
      if (batch.length === 0) continue;
      this.#underWay += 1;
      void this.#sendAll(batch).finally(() => {
        this.#underWay -= 1;
        this.#pump();
      });
    }
  }

  /** Takes the first reports that fit into one request. Reports of ended dispatches are not sent. */
  #take(): readonly Queued[] {
    const batch: Queued[] = [];
    let characters = 0;
    while (batch.length < CALLBACKS_PER_BATCH_MAX) {
      const [next] = this.#queue;
      if (next === undefined || (batch.length > 0 && characters + next.text.length > BATCH_CHARACTERS_MAX)) break;
      this.#queue.shift();
      if (next.post.signal.aborted) {
        next.answer(NO_ANSWER);
        continue;
      }
      characters += next.text.length;
      batch.push(next);
    }
    return batch;
  }

  async #sendAll(batch: readonly Queued[]): Promise<void> {
    const answers = batch.length === 1 ? null : await this.#together(batch.map(({ text }) => text));
    await Promise.all(
      batch.map(async ({ post, text, answer }, index) => answer(answers?.[index] ?? (await this.#alone(post, text)))),
    );
  }

  /** Sends a batch. Null when the batch itself was refused, so that each report must be sent separately. */
  async #together(texts: readonly string[]): Promise<readonly TurnAnswer[] | null> {
    const url = `${this.#url}${CALLBACK_BATCH_PATH.slice(TURN_PATH.length)}`;
    const reply = await this.#send(url, `{"callbacks":[${texts.join(",")}]}`);
    const answer = this.#answerOf(reply);
    const read = batchReplySchema.safeParse(answer.body);
    if (answer.status === 200 && read.success && read.data.results.length === texts.length)
      return read.data.results.map(({ status, body }) => ({ status, body, retryAfterMs: null }));
    return answer.status === null || answer.status >= 500 || answer.status === 401 || answer.status === 429
      ? texts.map(() => answer)
      : null;
  }

  async #alone({ kind, signal }: TurnPost, text: string): Promise<TurnAnswer> {
    return this.#answerOf(await this.#send(`${this.#url}/${kind}`, text, signal));
  }

  #send(url: string, body: string, signal?: AbortSignal): Promise<PeerReply | PeerFailure> {
    const headers = { [GATEWAY_TOKEN_HEADER]: this.#options.token(), "content-type": "application/json" };
    const limits = { timeoutMs: REQUEST_MS, bytesMax: REPLY_BYTES_MAX };
    return this.#options.send(url, {
      method: "POST",
      headers,
      body,
      ...limits,
      ...(signal === undefined ? {} : { signal }),
    });
  }

  #answerOf(reply: PeerReply | PeerFailure): TurnAnswer {
    if (!reply.ok) return NO_ANSWER;
    const { clock } = this.#options;
    return { status: reply.status, body: parsed(reply.text), retryAfterMs: retryAfterMs(reply, clock.now()) };
  }
}

function parsed(text: string): Json {
  try {
    return JSON.parse(text) as Json;
  } catch {
    return text;
  }
}
