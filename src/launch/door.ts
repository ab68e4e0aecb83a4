interface Room {
  inside: number;
  readonly waiting: (() => void)[];
}

/**
 * Of each organisation so many are at work at a time; the others wait in the order they came. So one that sends many
 * requests at once leaves connections to the database for the others.
 */
export class Door {
  readonly #insideMax: number;
  readonly #rooms = new Map<string, Room>();

  constructor(insideMax: number) {
    this.#insideMax = insideMax;
  }

  async through<T>(orgId: string, work: () => Promise<T>): Promise<T> {
    const room = this.#room(orgId);
    if (room.inside < this.#insideMax) room.inside += 1;
    else await new Promise<void>((enter) => room.waiting.push(enter));
    try {
      return await work();
    } finally {
      const enter = room.waiting.shift();
      if (enter === undefined) room.inside -= 1;
      // In the place that became free.
      else enter();
      if (room.inside === 0) this.#rooms.delete(orgId);
    }
  }

  #room(orgId: string): Room {
    let room = this.#rooms.get(orgId);
    if (room === undefined) {
      room = { inside: 0, waiting: [] };
      this.#rooms.set(orgId, room);
    }
    return room;
  }
}
