import { getOwn, isJsonObject, type Json } from "../../core/base/index.ts";
import type { AgentTurn, Dispatch, UnstampedInput } from "../../core/engine/index.ts";
import type { DrivenRun } from "./driven-run.ts";

/** Encrypts a text for the place where it is stored, and decrypts texts sealed for that place. */
export interface TextBox {
  seal(text: string, place: string): string;
  open(sealed: string, place: string): string | undefined;
}

const SEALED = "$sealed";

/**
 * Seals the content from which a turn continues, the model's messages and the adapter's transcript, before it is stored
 * in an event, and opens it before it is sent. Texts and calls that people read are stored beside it unsealed.
 */
export class TurnSeal {
  readonly #box: TextBox | undefined;

  /** Without a box, content stays unsealed. */
  constructor(box: TextBox | undefined) {
    this.#box = box;
  }

  sealed(input: UnstampedInput, live: DrivenRun): UnstampedInput {
    if (this.#box === undefined) return input;
    if (input.type === "start") return this.#sealCarried(input, live);
    if (input.type === "round") return { ...input, message: this.#seal(input.message, live) };
    if (input.type !== "callback" || input.result.status !== "suspended" || input.result.transcript === null)
      return input;
    return { ...input, result: { ...input.result, transcript: this.#seal(input.result.transcript, live) } };
  }

  opened(dispatch: Dispatch, live: DrivenRun): Dispatch {
    const { turn } = dispatch;
    return turn === null || this.#box === undefined ? dispatch : { ...dispatch, turn: this.#openTurn(turn, live) };
  }

  /** Returns a message of another run as its model wrote it; undefined when its key no longer exists. */
  openMessage(message: Json, run: KeptRun): Json | undefined {
    const opened = this.#open(message, { run });
    return opened === null && message !== null ? undefined : opened;
  }

  #sealCarried(input: StartInput, live: DrivenRun): UnstampedInput {
    const { carried } = input;
    if (carried === undefined) return input;
    return {
      ...input,
      carried: carried.map((one) => {
        if (one.status !== "turn") return one;
        const rounds = one.rounds.map((round) => ({ ...round, message: this.#seal(round.message, live) }));
        return { ...one, rounds };
      }),
    };
  }

  #openTurn(turn: AgentTurn, live: DrivenRun): AgentTurn {
    const rounds = turn.rounds.map((round) => ({ ...round, message: this.#open(round.message, live) }));
    return { ...turn, rounds, transcript: turn.transcript === null ? null : this.#open(turn.transcript, live) };
  }

  #seal(value: Json, live: DrivenRun): Json {
    return this.#box === undefined ? value : { [SEALED]: this.#box.seal(JSON.stringify(value), placeOf(live)) };
  }

  /** Returns null for content whose key no longer exists. The adapter then fails with its own error. */
  #open(value: Json, live: { readonly run: KeptRun }): Json {
    const sealed = isJsonObject(value) ? getOwn(value, SEALED) : undefined;
    if (typeof sealed !== "string") return value;
    const text = this.#box?.open(sealed, placeOf(live));
    return text === undefined ? null : (JSON.parse(text) as Json);
  }
}

type KeptRun = Pick<DrivenRun["run"], "orgId" | "runId">;
type StartInput = Extract<UnstampedInput, { readonly type: "start" }>;

function placeOf({ run }: { readonly run: KeptRun }): string {
  return `turn/${run.orgId}/${run.runId}`;
}
