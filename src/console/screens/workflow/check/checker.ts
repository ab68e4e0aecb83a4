import type { JsonObject, TreePath } from "../../../../core/base/index.ts";
import type { WorkflowEdit } from "../../../../core/edit/index.ts";
import type { RunEvent } from "../../../../core/event/index.ts";
import type { AnswerSource, CheckReport, EditAnswer, PageSimulation, Question, Reply } from "./protocol.ts";

/** The page's connection to the web worker. */
export interface Port {
  post(question: Question): void;
  close(): void;
}

export interface CheckerOptions {
  readonly open: (onReply: (reply: Reply) => void) => Port;
  /** Calls back after a delay. Returns a function that cancels the call. */
  readonly after: (ms: number, run: () => void) => () => void;
}

interface Simulation {
  readonly onEvents: (events: readonly RunEvent[]) => void;
  readonly onEnd: (simulation: PageSimulation) => void;
}

interface Asker<Answer> {
  readonly resolve: (answer: Answer) => void;
  readonly reject: (failure: Error) => void;
}

/** A simulation in progress. */
export interface Simulating {
  readonly done: Promise<PageSimulation>;
  /** Cancels the simulation. It ends soon after. */
  readonly stop: () => void;
}

const DEBOUNCE_MS = 120;

/** Requests checks of a changing text. Only one check runs at a time, always of the newest text. */
export class Checker {
  readonly #options: CheckerOptions;
  readonly #simulations = new Map<number, Simulation>();
  readonly #edits = new Map<number, Asker<EditAnswer>>();
  readonly #copies = new Map<number, Asker<string>>();
  #port: Port | null = null;
  #nextId = 1;
  #cancel: (() => void) | null = null;
  #underWay: number | null = null;
  #wanted: { readonly source: string; readonly onReport: (report: CheckReport) => void } | null = null;
  #onReport: ((report: CheckReport) => void) | null = null;

  constructor(options: CheckerOptions) {
    this.#options = options;
  }

  /** Checks the text. The report is passed on only if no newer text was submitted meanwhile. */
  check(source: string, onReport: (report: CheckReport) => void): void {
    this.#wanted = { source, onReport };
    this.#cancel?.();
    this.#cancel = this.#options.after(DEBOUNCE_MS, () => this.#ask());
  }

  /** Simulates a text in the page. Events are passed on as they arrive. */
  simulate(source: string, args: JsonObject, answers: AnswerSource, onEvents: Simulation["onEvents"]): Simulating {
    const id = this.#id();
    const done = new Promise<PageSimulation>((resolve) => {
      this.#simulations.set(id, { onEvents, onEnd: resolve });
      this.#openPort().post({ type: "simulate", id, source, args, answers });
    });
    return { done, stop: () => this.#port?.post({ type: "stop", id }) };
  }

  /** Edits a text in the web worker, because parsing a long text takes longer than a frame. */
  edit(source: string, edit: WorkflowEdit): Promise<EditAnswer> {
    const id = this.#id();
    return new Promise((resolve, reject) => {
      this.#edits.set(id, { resolve, reject });
      this.#openPort().post({ type: "edit", id, source, edit });
    });
  }

  copy(source: string, paths: readonly TreePath[]): Promise<string> {
    const id = this.#id();
    return new Promise((resolve, reject) => {
      this.#copies.set(id, { resolve, reject });
      this.#openPort().post({ type: "copy", id, source, paths });
    });
  }

  close(): void {
    this.#cancel?.();
    this.#port?.close();
    this.#port = null;
    this.#wanted = null;
    this.#underWay = null;
  }

  #ask(): void {
    this.#cancel = null;
    if (this.#underWay !== null || this.#wanted === null) return;
    const { source, onReport } = this.#wanted;
    this.#wanted = null;
    this.#underWay = this.#id();
    this.#onReport = onReport;
    this.#openPort().post({ type: "check", id: this.#underWay, source });
  }

  #receive(reply: Reply): void {
    if (reply.type === "progress") return this.#simulations.get(reply.id)?.onEvents(reply.events);
    if (reply.type === "simulated") {
      this.#simulations.get(reply.id)?.onEnd(reply.simulation);
      this.#simulations.delete(reply.id);
      return;
    }
    if (reply.id !== this.#underWay) return this.#deliver(reply);
    this.#underWay = null;
    // If a newer text is waiting, this report is outdated and is not shown. After a failure there is none.
    if (this.#wanted === null && reply.type === "checked") this.#onReport?.(reply.report);
    else if (this.#cancel === null) this.#ask();
  }

  #deliver(reply: Exclude<Reply, { type: "progress" | "simulated" }>): void {
    const [edit, copy] = [this.#edits.get(reply.id), this.#copies.get(reply.id)];
    if (reply.type === "edited") edit?.resolve(reply.answer);
    else if (reply.type === "copied") copy?.resolve(reply.text);
    else if (reply.type === "failed") (edit ?? copy)?.reject(new Error(reply.message));
    this.#edits.delete(reply.id);
    this.#copies.delete(reply.id);
  }

  #openPort(): Port {
    this.#port ??= this.#options.open((reply) => this.#receive(reply));
    return this.#port;
  }

  #id(): number {
    this.#nextId += 1;
    return this.#nextId;
  }
}
