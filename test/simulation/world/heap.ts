interface Entry<T> {
  readonly at: number;
  readonly order: number;
  readonly item: T;
}

/** Things to come, earliest first; equal moments keep the order in which they were planned. */
export class Heap<T> {
  private readonly entries: Entry<T>[] = [];
  private planned = 0;

  get size(): number {
    return this.entries.length;
  }

  push(at: number, item: T): void {
    const entry = { at, order: this.planned, item };
    this.planned += 1;
    let index = this.entries.length;
    this.entries.push(entry);
    while (index > 0) {
      const up = (index - 1) >> 1;
      const parent = this.entries[up];
      if (parent === undefined || !isBefore(entry, parent)) break;
      this.entries[index] = parent;
      index = up;
    }
    this.entries[index] = entry;
  }

  pop(): { readonly at: number; readonly item: T } | undefined {
    const first = this.entries[0];
    const last = this.entries.pop();
    if (first === undefined || last === undefined || first === last) return first;
    this.sink(last);
    return first;
  }

  private sink(entry: Entry<T>): void {
    const size = this.entries.length;
    let index = 0;
    for (;;) {
      let child = 2 * index + 1;
      const left = this.entries[child];
      if (left === undefined) break;
      let smaller = left;
      const right = child + 1 < size ? this.entries[child + 1] : undefined;
      if (right !== undefined && isBefore(right, left)) {
        smaller = right;
        child += 1;
      }
      if (!isBefore(smaller, entry)) break;
      this.entries[index] = smaller;
      index = child;
    }
    this.entries[index] = entry;
  }
}

function isBefore<T>(left: Entry<T>, right: Entry<T>): boolean {
  return left.at < right.at || (left.at === right.at && left.order < right.order);
}
