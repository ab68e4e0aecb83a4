import type { ListPage, SavedView, Trends, TrendsQuery, ViewRequest } from "../contract/index.ts";
import type { Requests, Needs } from "./caller.ts";
import { encode } from "./query.ts";

const VIEW: Needs = ["id", "name", "query"];

/** Part of the API for many runs at once: saved lists and trends. */
export class SearchClient {
  readonly #requests: Requests;

  constructor(requests: Requests) {
    this.#requests = requests;
  }

  trends(query: TrendsQuery = {}): Promise<Trends> {
    return this.#requests.ask("GET", "/trends", { query: { ...query } }, ["bucket", "data"]);
  }

  /** Lists the caller's own views and the shared ones. */
  listViews(): Promise<ListPage<SavedView>> {
    return this.#requests.list("/views", {});
  }

  saveView(view: ViewRequest): Promise<SavedView> {
    return this.#requests.ask("POST", "/views", { body: view }, VIEW);
  }

  changeView(id: string, view: ViewRequest): Promise<SavedView> {
    return this.#requests.ask("PUT", `/views/${encode(id)}`, { body: view }, VIEW);
  }

  deleteView(id: string): Promise<void> {
    return this.#requests.command("DELETE", `/views/${encode(id)}`);
  }
}
