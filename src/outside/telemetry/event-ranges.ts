/** A set of event ids of one run. The ids come mostly in order, so a few ranges hold them all. */
export class EventRanges {
  readonly #ranges: { first: number; last: number }[] = [];

  get isEmpty(): boolean {
    return this.#ranges.length === 0;
  }

  add(first: number, last: number): void {
    const before = this.#ranges.at(-1);
    if (before !== undefined && first >= before.first && first <= before.last + 1) {
      before.last = Math.max(before.last, last);
    } else this.#ranges.push({ first, last });
  }

  addAll(other: EventRanges): void {
    for (const { first, last } of other.#ranges) this.add(first, last);
  }

  has(eventId: number): boolean {
    return this.#ranges.some(({ first, last }) => eventId >= first && eventId <= last);
  }
}
