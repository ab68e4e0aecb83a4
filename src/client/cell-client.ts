import type { CellVerification, CellView, MoveView } from "../contract/index.ts";
import type { RequestParts, Needs } from "./caller.ts";
import { encode } from "./query.ts";

/** The members of `Caller` with which requests are sent here. */
interface Requests {
  ask<T>(method: string, path: string, asked: RequestParts, needs: Needs): Promise<T>;
}

const MOVE: Needs = ["id", "stage"];

/** The part of the API for operators of several cells. */
export class CellClient {
  readonly #requests: Requests;

  constructor(requests: Requests) {
    this.#requests = requests;
  }

  async list(): Promise<readonly CellView[]> {
    return (await this.#requests.ask<{ readonly data: readonly CellView[] }>("GET", "/cells", {}, ["data"])).data;
  }

  async listMoves(): Promise<readonly MoveView[]> {
    return (await this.#requests.ask<{ readonly data: readonly MoveView[] }>("GET", "/cells/moves", {}, ["data"])).data;
  }

  /** Begins a move, which continues on the server. */
  move(organisation: string, to: string): Promise<MoveView> {
    return this.#requests.ask("POST", "/cells/moves", { body: { organisation, to } }, MOVE);
  }

  getMove(id: string): Promise<MoveView> {
    return this.#requests.ask("GET", `/cells/moves/${encode(id)}`, {}, MOVE);
  }

  verify(organisation?: string): Promise<CellVerification> {
    const asked = organisation === undefined ? "" : `?of=${encode(organisation)}`;
    return this.#requests.ask("GET", `/cells/verification${asked}`, {}, ["isGood", "problems"]);
  }
}
