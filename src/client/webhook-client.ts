import type { Hook, SavedHook } from "../contract/index.ts";
import type { Door, Needs } from "./caller.ts";
import { DeliveryClient } from "./delivery-client.ts";
import { encode } from "./query.ts";

const HOOK: Needs = ["workflow", "url"];

/** The part of the API that is about those outside. */
export class WebhookClient extends DeliveryClient {
  readonly #door: Door;

  constructor(door: Door) {
    super(door, "webhooks");
    this.#door = door;
  }

  getHook(workflow: string): Promise<Hook> {
    return this.#door.ask("GET", `/hooks/${encode(workflow)}`, {}, HOOK);
  }

  /** A secret is made, and shown once, when none is given. */
  saveHook(workflow: string, secret?: string): Promise<SavedHook> {
    return this.#door.ask("PUT", `/hooks/${encode(workflow)}`, { body: { secret } }, HOOK);
  }

  deleteHook(workflow: string): Promise<void> {
    return this.#door.command("DELETE", `/hooks/${encode(workflow)}`);
  }
}
