import type { StreamInput } from "../../core/engine/index.ts";

type Deltas = StreamInput["deltas"];

/** As much as a result may hold; what goes beyond is in no result either. */
export const WITHHELD_LENGTH_MAX = 5_242_880;

/** What a node streamed before it was moderated: kept until its result has passed, or dropped with it. */
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

  /** Everything in order, once. */
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
