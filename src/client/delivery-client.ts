import type { Delivery, ListPage, PageOptions } from "../contract/index.ts";
import type { Requests, Needs } from "./caller.ts";
import { encode } from "./query.ts";

const DELIVERY: Needs = ["id", "state"];

/** Part of the API for the deliveries of webhooks or of channels. */
export class DeliveryClient {
  readonly #requests: Requests;
  readonly #collection: "webhooks" | "channels";

  constructor(requests: Requests, collection: "webhooks" | "channels") {
    this.#requests = requests;
    this.#collection = collection;
  }

  listDeliveries(name: string, page: PageOptions = {}): Promise<ListPage<Delivery>> {
    return this.#requests.list(`${this.#at(name)}/deliveries`, { query: { ...page } });
  }

  redeliver(name: string, deliveryId: string): Promise<Delivery> {
    const path = `${this.#at(name)}/deliveries/${encode(deliveryId)}/redeliver`;
    return this.#requests.ask("POST", path, {}, DELIVERY);
  }

  /** Sends a test message. Its result appears in the list of deliveries. */
  test(name: string): Promise<Delivery> {
    return this.#requests.ask("POST", `${this.#at(name)}/test`, {}, DELIVERY);
  }

  #at(name: string): string {
    return `/${this.#collection}/${encode(name)}`;
  }
}
