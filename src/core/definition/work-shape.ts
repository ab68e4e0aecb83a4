import { type Json, type JsonObject, LIMITS, utf8Length } from "../base/index.ts";
import { mandatory, optional, record } from "./record.ts";
import { anyJson, anyText, byKind, choice, mapOf, nameOf, refine, type Shape, word } from "./shape.ts";
import { spellableName } from "./identifier.ts";
import type { Work } from "./work.ts";
import { SCRIPT_WORDS } from "./foreign-word.ts";

/** Work as written: the fixed part, and the values that are filled in when the step starts. */
export interface Written {
  readonly work: Work;
  readonly values: JsonObject;
  /** Whether the single value is the whole field, not one of its keys. */
  readonly isWhole?: true;
}

export const setShape: Shape<Written> = refine(
  mapOf(anyJson, spellableName("a field")),
  (values, path, report): Written | undefined => {
    if (Object.keys(values).length > 0) return { work: { kind: "set" }, values };
    report.problem("bad_set", path, `${nameOf(path)} sets nothing.`, { hint: "Write set: { name: value }." });
    return undefined;
  },
);

function cancelOf(as: "cancelled" | "completed", reason: Json | undefined): Written {
  return { work: { kind: "cancel", as }, values: reason === undefined ? {} : { reason } };
}

const reasonText: Shape<Json> = anyText;

export const cancelShape: Shape<Written> = byKind("a reason, or a map with reason and as", {
  text: refine(reasonText, (reason): Written => ({ ...cancelOf("cancelled", reason), isWhole: true })),
  map: refine(
    record(
      {
        reason: optional(reasonText, "Reason for the end of the run; ${…} is filled in."),
        as: optional(choice(["cancelled", "completed"]), "Status of the ended run.", { default: "cancelled" }),
      },
      { title: "cancel" },
    ),
    ({ as = "cancelled", reason }) => cancelOf(as, reason),
  ),
  flag: { read: () => cancelOf("cancelled", undefined), schema: { const: true } },
  empty: { read: () => cancelOf("cancelled", undefined), schema: { type: "null" } },
});

/** The failure code when the author set none. */
export const FAILED_BY_STEP = "failed_by_step";

const failureCode = word({
  expected: "a code in snake_case, such as order_refused",
  code: "bad_name",
  pattern: /^[a-z][a-z0-9_]*$/,
  lengthMax: LIMITS.idLengthMax,
});

export const failShape: Shape<Written> = byKind("a message, or a map with code and message", {
  text: refine(reasonText, (message): Written => ({
    work: { kind: "fail", code: FAILED_BY_STEP },
    values: { message },
    isWhole: true,
  })),
  map: refine(
    record(
      {
        code: optional(failureCode, "Error code of the run.", { default: FAILED_BY_STEP }),
        message: mandatory(reasonText, "Error message of the run; ${…} is filled in."),
      },
      { title: "fail" },
    ),
    ({ code = FAILED_BY_STEP, message }): Written | undefined =>
      message === undefined ? undefined : { work: { kind: "fail", code }, values: { message } },
  ),
});

const code: Shape<string> = refine(anyText, (text, path, report) => {
  const bytes = utf8Length(text);
  if (text.trim() !== "" && bytes <= LIMITS.commandBytesMax) return text;
  const flaw = text.trim() === "" ? "is blank" : `has ${bytes} bytes; at most ${LIMITS.commandBytesMax} are allowed`;
  report.problem("bad_script", path, `${nameOf(path)} ${flaw}.`, {
    hint: "Write what the script returns: return inputs.a + 1;",
  });
  return undefined;
});

export const scriptShape: Shape<Written> = byKind("code, or a map with code and language", {
  text: refine(code, (text): Written => ({ work: { kind: "script", language: "js", code: text }, values: {} })),
  map: refine(
    record(
      {
        code: mandatory(code, "Code that runs. It reads inputs and returns a map of outputs."),
        language: optional(choice(["js"]), "Language of the code.", { default: "js" }),
      },
      { title: "a script", foreign: SCRIPT_WORDS },
    ),
    ({ code: text, language = "js" }): Written | undefined =>
      text === undefined ? undefined : { work: { kind: "script", language, code: text }, values: {} },
  ),
});
