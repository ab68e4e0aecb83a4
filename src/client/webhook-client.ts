import { encode, type Query } from "./query.ts";
import type { Delivery, Hook, SavedHook } from "./webhook-wire.ts";
import type { ListPage, PageOptions } from "./wire.ts";

type Send = (
  method: string,
  path: string,
  asked: { readonly query?: Query; readonly body?: object },
) => Promise<Response>;

/** The part of the API that is about those outside. */
export class WebhookClient {
  readonly #send: Send;

  constructor(send: Send) {
    this.#send = send;
  }

  listDeliveries(webhook: string, page: PageOptions = {}): Promise<ListPage<Delivery>> {
    return this.#ask("GET", `/webhooks/${encode(webhook)}/deliveries`, { query: { ...page } });
  }

  redeliver(webhook: string, deliveryId: string): Promise<Delivery> {
    return this.#ask("POST", `/webhooks/${encode(webhook)}/deliveries/${encode(deliveryId)}/redeliver`, {});
  }

  /** Sends a message of type `webhook.test`; what became of it is found among the deliveries. */
  test(webhook: string): Promise<Delivery> {
    return this.#ask("POST", `/webhooks/${encode(webhook)}/test`, {});
  }

  getHook(workflow: string): Promise<Hook> {
    return this.#ask("GET", `/hooks/${encode(workflow)}`, {});
  }

  /** A secret is made, and shown once, when none is given. */
  saveHook(workflow: string, secret?: string): Promise<SavedHook> {
    return this.#ask("PUT", `/hooks/${encode(workflow)}`, { body: { secret } });
  }

  async deleteHook(workflow: string): Promise<void> {
    await this.#send("DELETE", `/hooks/${encode(workflow)}`, {});
  }

  async #ask<T>(method: string, path: string, asked: Parameters<Send>[2]): Promise<T> {
    return (await (await this.#send(method, path, asked)).json()) as T;
  }
}
