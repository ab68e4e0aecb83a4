import cluster from "node:cluster";
import type { OwnAnswer, SharedPath } from "../server/index.ts";

/** Messages between the processes of one server. They pass through the process that started the others. */
export type SiblingMessage =
  | { readonly sluice: "stop" }
  | { readonly sluice: "listening"; readonly url: string }
  /** A process received a request for figures and asks for the figures of all processes. */
  | { readonly sluice: "ask"; readonly id: number; readonly path: SharedPath }
  | { readonly sluice: "figures"; readonly id: number; readonly path: SharedPath }
  | { readonly sluice: "report"; readonly id: number; readonly answer: OwnAnswer }
  | { readonly sluice: "answers"; readonly id: number; readonly answers: readonly OwnAnswer[] };

export function isSiblingMessage(message: unknown): message is SiblingMessage {
  return typeof message === "object" && message !== null && "sluice" in message;
}

/** This process as one of several that serve the same port. */
export class Siblings {
  readonly #waiting = new Map<number, (answers: readonly OwnAnswer[]) => void>();
  #asked = 0;
  /** Returns the figures of this process. */
  own: ((path: SharedPath) => Promise<OwnAnswer>) | null = null;

  constructor() {
    process.on("message", (message: unknown) => {
      if (isSiblingMessage(message)) void this.#take(message);
    });
  }

  /** Returns the figures of all processes that answer in time. */
  answersOfAll(path: SharedPath): Promise<readonly OwnAnswer[]> {
    const id = (this.#asked += 1);
    return new Promise((resolve) => {
      this.#waiting.set(id, resolve);
      send({ sluice: "ask", id, path });
    });
  }

  announce(url: string): void {
    send({ sluice: "listening", url });
  }

  async #take(message: SiblingMessage): Promise<void> {
    if (message.sluice === "answers") {
      this.#waiting.get(message.id)?.(message.answers);
      this.#waiting.delete(message.id);
    } else if (message.sluice === "figures" && this.own !== null) {
      const { id, path } = message;
      send({ sluice: "report", id, answer: await this.own(path) });
    }
  }
}

function send(message: SiblingMessage): void {
  // The parent process may have died just now.
  if (process.connected) process.send?.(message);
}

/** Returns null when this process serves alone. */
export function openSiblings(): Siblings | null {
  return cluster.isWorker ? new Siblings() : null;
}

const ignore = (): void => undefined;

/**
 * Calls back when the parent process requests a stop or is gone. Ctrl-C reaches all processes at once, so only the
 * parent reacts to it.
 */
export function onStopRequest(request: () => void): () => void {
  let isRequested = false;
  const once = (): void => {
    if (isRequested) return;
    isRequested = true;
    request();
  };
  const onMessage = (message: unknown): void => {
    if (isSiblingMessage(message) && message.sluice === "stop") once();
  };
  process.on("message", onMessage).on("disconnect", once).on("SIGTERM", once);
  process.on("SIGINT", ignore).on("SIGHUP", ignore);
  return () => {
    process.off("message", onMessage).off("disconnect", once).off("SIGTERM", once);
    process.off("SIGINT", ignore).off("SIGHUP", ignore);
  };
}
