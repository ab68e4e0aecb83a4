import { isJsonObject, type Json, type JsonObject } from "../../core/base/index.ts";
import { fetchGuarded } from "../../outbound/index.ts";
import { type Reach, type Sent, sentOfFailure } from "../delivery/index.ts";

/** URL of Slack's Web API; the operator can set another one. */
export const SLACK_URL = "https://slack.com/api";

export type SlackReply =
  | { readonly ok: true; readonly body: JsonObject }
  | { readonly ok: false; readonly sent: Exclude<Sent, { readonly kind: "delivered" }> };

const CALL_MS = 15_000;
const ANSWER_BYTES_MAX = 1_048_576;
const TOO_MANY = 429;

/** Calls the methods of Slack's Web API that channels need, with the token of the bot. */
export class SlackApi {
  readonly #url: string;
  readonly #reach: Reach;
  readonly #token: string;

  constructor(url: string, reach: Reach, token: string) {
    this.#url = url.replace(/\/+$/, "");
    this.#reach = reach;
    this.#token = token;
  }

  call(method: string, args: JsonObject, signal?: AbortSignal): Promise<SlackReply> {
    const { text } = args;
    const sent = typeof text === "string" ? { ...args, text: literal(text) } : args;
    return this.#request(method, JSON.stringify(sent), "application/json; charset=utf-8", signal);
  }

  /** Calls a read method. Those take their arguments as a form. */
  read(method: string, args: Readonly<Record<string, string>>, signal?: AbortSignal): Promise<SlackReply> {
    return this.#request(method, new URLSearchParams(args).toString(), "application/x-www-form-urlencoded", signal);
  }

  /** Returns the email of an account; null when Slack does not return it or the account does not exist. */
  async emailOf(account: string, signal?: AbortSignal): Promise<string | null> {
    const reply = await this.read("users.info", { user: account }, signal);
    if (!reply.ok) return null;
    const user = memberOf(reply.body, "user");
    const email = memberOf(memberOf(user, "profile"), "email");
    return typeof email === "string" && memberOf(user, "deleted") !== true ? email.toLowerCase() : null;
  }

  async #request(method: string, body: string, type: string, signal?: AbortSignal): Promise<SlackReply> {
    const { allow, resolve } = this.#reach;
    const reply = await fetchGuarded(`${this.#url}/${method}`, {
      method: "POST",
      headers: { "content-type": type, authorization: `Bearer ${this.#token}`, "user-agent": "sluice-channels" },
      body,
      timeoutMs: CALL_MS,
      bytesMax: ANSWER_BYTES_MAX,
      redirectsMax: 0,
      ...(signal === undefined ? {} : { signal }),
      ...(allow === undefined ? {} : { allow }),
      ...(resolve === undefined ? {} : { resolve }),
    });
    if (!reply.ok) return { ok: false, sent: notDelivered(sentOfFailure(reply)) };
    const { status, headers, text } = reply;
    if (status === TOO_MANY) {
      const retryMs = Number(headers["retry-after"] ?? 0) * 1_000;
      const error = "Slack takes no more messages for now.";
      return { ok: false, sent: { kind: "failed", status, error, ...(retryMs > 0 ? { retryMs } : {}) } };
    }
    const answer = readJson(text);
    if (status === 200 && memberOf(answer, "ok") === true && isJsonObject(answer)) return { ok: true, body: answer };
    const code = memberOf(answer, "error");
    const error = typeof code === "string" ? `Slack answered ${code}.` : `Slack answered ${status}.`;
    return { ok: false, sent: { kind: "failed", status, error } };
  }
}

/** Escapes the text beside blocks, where Slack interprets markup: a title must not notify a whole channel or hide a link. */
function literal(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}

function notDelivered(sent: Sent): Exclude<Sent, { readonly kind: "delivered" }> {
  return sent.kind === "delivered" ? { kind: "failed", status: sent.status, error: "There was no answer." } : sent;
}

function readJson(text: string): Json {
  try {
    return JSON.parse(text) as Json;
  } catch {
    return null;
  }
}

function memberOf(value: Json | undefined, key: string): Json | undefined {
  return value !== undefined && isJsonObject(value) && Object.hasOwn(value, key) ? value[key] : undefined;
}
