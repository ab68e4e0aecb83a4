import { LIMITS } from "../base/index.ts";
import { overLimit } from "./fault.ts";

const ELEMENTS_PER_STEP = 64;
const CHARACTERS_PER_STEP = 1_024;

/**
 * The remaining budget of an evaluation. An operator, a call and each use of a lambda cost one step. Work that grows with
 * a
 * value is charged by size, so that a short expression cannot cause much work.
 */
export class Meter {
  #left: number = LIMITS.expressionStepsMax;

  step(): void {
    this.spend(1);
  }

  elements(count: number): void {
    this.spend(count / ELEMENTS_PER_STEP);
  }

  characters(count: number): void {
    this.spend(count / CHARACTERS_PER_STEP);
  }

  /** Searching a text in another may compare each position of the one with much of the other. */
  search(text: string, part: string): void {
    this.characters(text.length + (text.length * part.length) / 256);
  }

  spend(steps: number): void {
    this.#left -= steps;
    if (this.#left < 0) {
      throw overLimit(`the expression takes more than ${LIMITS.expressionStepsMax} steps`);
    }
  }
}

/** Checks the length of a text before it is created. */
export function checkLength(length: number): void {
  if (length > LIMITS.expressionResultBytesMax) throw tooLarge();
}

export function tooLarge(): Error {
  return overLimit(`the expression makes a value of more than ${LIMITS.expressionResultBytesMax} bytes`);
}
