import { isJsonArray, isJsonObject, type Json } from "../core/base/index.ts";
import type { CallbackBody } from "./wire.ts";

/** Stores results across restarts, so that no ended dispatch starts again and its result can be queried. */
export interface Archive {
  has(dispatchId: string): boolean;
  read(dispatchId: string): CallbackBody | undefined;
}

export interface EndedLimits {
  readonly keepMs: number;
  readonly max: number;
  readonly bytesMax: number;
}

interface Kept {
  readonly body: CallbackBody;
  readonly endedAt: number;
  readonly weight: number;
}

/** Results in memory, oldest first, limited by age, number and approximate size. */
export class EndedResults {
  readonly #limits: EndedLimits;
  readonly #kept = new Map<string, Kept>();
  #weight = 0;

  constructor(limits: EndedLimits) {
    this.#limits = limits;
  }

  get(dispatchId: string): CallbackBody | undefined {
    return this.#kept.get(dispatchId)?.body;
  }

  has(dispatchId: string): boolean {
    return this.#kept.has(dispatchId);
  }

  add(body: CallbackBody, now: number): void {
    const kept = { body, endedAt: now, weight: approximateSize(body as Json) };
    this.#kept.set(body.dispatchId, kept);
    this.#weight += kept.weight;
    this.#expire(now);
  }

  #expire(now: number): void {
    const { keepMs, max, bytesMax } = this.#limits;
    for (const [dispatchId, { endedAt, weight }] of this.#kept) {
      if (now - endedAt < keepMs && this.#kept.size <= max && this.#weight <= bytesMax) return;
      this.#kept.delete(dispatchId);
      this.#weight -= weight;
    }
  }
}

/** Returns the approximate size of a value in memory. This is exact enough for a limit, and cheaper than serialising. */
function approximateSize(value: Json): number {
  let weight = 0;
  const stack: Json[] = [value];
  for (let next = stack.pop(); next !== undefined; next = stack.pop()) {
    weight += typeof next === "string" ? 16 + 2 * next.length : 16;
    if (isJsonArray(next)) for (const item of next) stack.push(item);
    else if (isJsonObject(next)) {
      for (const [key, item] of Object.entries(next)) {
        weight += 2 * key.length;
        if (item !== undefined) stack.push(item);
      }
    }
  }
  return weight;
}
