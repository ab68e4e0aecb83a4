import type { Hook, SavedHook } from "../contract/index.ts";
import type { Door, Needs } from "./caller.ts";
import { DeliveryClient } from "./delivery-client.ts";
import { encode } from "./query.ts";

const HOOK: Needs = ["workflow", "url"];

/** Part of the API for webhooks, which send messages, and hooks, which receive them. */
export class WebhookClient extends DeliveryClient {
  readonly #door: Door;

  constructor(door: Door) {
    super(door, "webhooks");
    this.#door = door;
  }

  getHook(workflow: string): Promise<Hook> {
    return this.#door.ask("GET", `/hooks/${encode(workflow)}`, {}, HOOK);
  }

  /** Saves a hook. When no secret is given, the server creates one and shows it once. */
  saveHook(workflow: string, secret?: string): Promise<SavedHook> {
    return this.#door.ask("PUT", `/hooks/${encode(workflow)}`, { body: { secret } }, HOOK);
  }

  deleteHook(workflow: string): Promise<void> {
    return this.#door.command("DELETE", `/hooks/${encode(workflow)}`);
  }
}
