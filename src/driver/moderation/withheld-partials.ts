import type { StreamInput } from "../../core/engine/index.ts";

type Deltas = StreamInput["deltas"];

/** The maximum length of a result. Streamed text beyond it would not be in any result either. */
export const WITHHELD_LENGTH_MAX = 5_242_880;

/** The output a node streamed before moderation: released when its result passes, else dropped. */
export class WithheldPartials {
  #deltas: Deltas[number][] = [];
  #length = 0;

  add(deltas: Deltas): void {
    for (const delta of deltas) {
      this.#length += delta.text?.length ?? 0;
      if (this.#length > WITHHELD_LENGTH_MAX) return;
      this.#deltas.push(delta);
    }
  }

  /** Returns all deltas in order and removes them. */
  release(): Deltas {
    const deltas = this.#deltas;
    this.drop();
    return deltas;
  }

  drop(): void {
    this.#deltas = [];
    this.#length = 0;
  }
}
