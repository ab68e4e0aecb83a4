import type { CellVerification, CellView, MoveView } from "../contract/index.ts";
import type { Asked, Needs } from "./caller.ts";
import { encode } from "./query.ts";

/** The members of `Caller` with which requests are sent here. */
interface Door {
  ask<T>(method: string, path: string, asked: Asked, needs: Needs): Promise<T>;
}

const MOVE: Needs = ["id", "stage"];

/** The part of the API for operators of several cells. */
export class CellClient {
  readonly #door: Door;

  constructor(door: Door) {
    this.#door = door;
  }

  async list(): Promise<readonly CellView[]> {
    return (await this.#door.ask<{ readonly data: readonly CellView[] }>("GET", "/cells", {}, ["data"])).data;
  }

  async listMoves(): Promise<readonly MoveView[]> {
    return (await this.#door.ask<{ readonly data: readonly MoveView[] }>("GET", "/cells/moves", {}, ["data"])).data;
  }

  /** Begins a move, which continues on the server. */
  move(organisation: string, to: string): Promise<MoveView> {
    return this.#door.ask("POST", "/cells/moves", { body: { organisation, to } }, MOVE);
  }

  getMove(id: string): Promise<MoveView> {
    return this.#door.ask("GET", `/cells/moves/${encode(id)}`, {}, MOVE);
  }

  verify(organisation?: string): Promise<CellVerification> {
    const asked = organisation === undefined ? "" : `?of=${encode(organisation)}`;
    return this.#door.ask("GET", `/cells/verification${asked}`, {}, ["isGood", "problems"]);
  }
}
