/** Listeners by node. A listener is called once, even when several of its nodes changed. */
export class NodeListeners {
  readonly #ofAll = new Set<() => void>();
  readonly #ofNode = new Map<string, Set<() => void>>();

  /** Adds a listener, for all nodes when no ids are passed. Returns a function that removes it. */
  add(listener: () => void, ids?: readonly string[]): () => void {
    if (ids === undefined) {
      this.#ofAll.add(listener);
      return () => this.#ofAll.delete(listener);
    }
    for (const id of ids) {
      const known = this.#ofNode.get(id);
      if (known === undefined) this.#ofNode.set(id, new Set([listener]));
      else known.add(listener);
    }
    return () => {
      for (const id of ids) {
        const known = this.#ofNode.get(id);
        known?.delete(listener);
        if (known?.size === 0) this.#ofNode.delete(id);
      }
    };
  }

  notify(changed: Iterable<string>): void {
    const due = new Set(this.#ofAll);
    for (const id of changed) for (const listener of this.#ofNode.get(id) ?? []) due.add(listener);
    for (const listener of due) listener();
  }

  notifyAll(): void {
    this.notify([...this.#ofNode.keys()]);
  }
}
