import { EXIT } from "./exit-code.ts";

/** The result of one check, with a fix when there is a problem. */
export interface Finding {
  readonly check: string;
  /** True: correct. False: wrong. Null: not set up, which is a problem only for those who need it. */
  readonly ok: boolean | null;
  readonly detail: string;
  readonly fix?: string;
}

export interface Failure extends Finding {
  readonly exitCode: number;
}

export const fine = (check: string, detail: string): Finding => ({ check, ok: true, detail });
export const unset = (check: string, detail: string, fix: string): Finding => ({ check, ok: null, detail, fix });
export const wrong = (check: string, detail: string, fix: string, exitCode: number = EXIT.runFailed): Failure => ({
  check,
  ok: false,
  detail,
  fix,
  exitCode,
});
