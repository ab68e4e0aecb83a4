import type { Hook, SavedHook } from "../contract/index.ts";
import type { Requests, Needs } from "./caller.ts";
import { DeliveryClient } from "./delivery-client.ts";
import { encode } from "./query.ts";

const HOOK: Needs = ["workflow", "url"];

/** Part of the API for webhooks, which send messages, and hooks, which receive them. */
export class WebhookClient extends DeliveryClient {
  readonly #requests: Requests;

  constructor(requests: Requests) {
    super(requests, "webhooks");
    this.#requests = requests;
  }

  getHook(workflow: string): Promise<Hook> {
    return this.#requests.ask("GET", `/hooks/${encode(workflow)}`, {}, HOOK);
  }

  /** Saves a hook. When no secret is given, the server creates one and shows it once. */
  saveHook(workflow: string, secret?: string): Promise<SavedHook> {
    return this.#requests.ask("PUT", `/hooks/${encode(workflow)}`, { body: { secret } }, HOOK);
  }

  deleteHook(workflow: string): Promise<void> {
    return this.#requests.command("DELETE", `/hooks/${encode(workflow)}`);
  }
}
