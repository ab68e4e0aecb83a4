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

/** What the turn of an agent reports or asks. */
export interface TurnPost {
  readonly kind: TurnKind;
  readonly dispatchId: string;
  readonly body: object;
  /** It may be answered late, when a person has, or a script has run: nothing else waits for that with it. */
  readonly isAlone: boolean;
  readonly signal: AbortSignal;
}

/** `status` null: no answer came. */
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

/** Longer than a server lets a question about a person's answer wait. */
const REQUEST_MS = 40_000;
const REPLY_BYTES_MAX = 16 * 1_048_576;
/** What is reported meanwhile goes together in the next request. */
const REQUESTS_MAX = 4;
const BATCH_CHARACTERS_MAX = 1_048_576;
const NO_ANSWER: TurnAnswer = { status: null, body: null, retryAfterMs: null };

const batchReplySchema = z.object({ results: z.array(z.object({ status: z.number(), body: z.unknown() })) });

/** Sends what the turns of a Bridge report to one server. Alone while little is under way, in batches otherwise. */
export class TurnPosts {
  readonly #url: string;
  readonly #options: TurnPostOptions;
  readonly #queue: Queued[] = [];
  #underWay = 0;

  constructor(turnUrl: string, options: TurnPostOptions) {
    this.#url = turnUrl;
    this.#options = options;
  }

  /** Sends it once; never rejects. */
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

  /** The first that fit into one request. One whose dispatch has ended is not sent. */
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

  /** Null: the batch as such is refused, so that each has to be tried alone. */
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
