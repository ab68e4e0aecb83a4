import type { Delivery, Hook, ListPage, PageOptions, SavedHook } from "../contract/index.ts";
import type { Door, Needs } from "./caller.ts";
import { encode } from "./query.ts";

const DELIVERY: Needs = ["id", "state"];
const HOOK: Needs = ["workflow", "url"];

/** The part of the API that is about those outside. */
export class WebhookClient {
  readonly #door: Door;

  constructor(door: Door) {
    this.#door = door;
  }

  listDeliveries(webhook: string, page: PageOptions = {}): Promise<ListPage<Delivery>> {
    return this.#door.list(`/webhooks/${encode(webhook)}/deliveries`, { query: { ...page } });
  }

  redeliver(webhook: string, deliveryId: string): Promise<Delivery> {
    return this.#door.ask(
      "POST",
      `/webhooks/${encode(webhook)}/deliveries/${encode(deliveryId)}/redeliver`,
      {},
      DELIVERY,
    );
  }

  /** Sends a message of type `webhook.test`; what became of it is found among the deliveries. */
  test(webhook: string): Promise<Delivery> {
    return this.#door.ask("POST", `/webhooks/${encode(webhook)}/test`, {}, DELIVERY);
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
