import { LIMITS, type Json, type JsonObject, type TreePath } from "../base/index.ts";
import { instantOf } from "../expression/index.ts";
import { isWritten, mandatory, optional, record } from "./record.ts";
import type { Report } from "./report.ts";
import { anyJson, byKind, choice, mapOf, nameOf, refine, type Shape, word } from "./shape.ts";
import { durationOr } from "./text-shape.ts";
import { ON_TIMEOUT, type Wait } from "./work.ts";
import type { Written } from "./work-shape.ts";
import { EVENT_WORDS, WAIT_WORDS } from "./foreign-word.ts";

/** Contains no colon, because event types named by the engine contain one. */
export const EVENT_TYPE = /^[A-Za-z][A-Za-z0-9._-]{0,127}$/;

const eventType = word({
  expected: "a type such as order.paid: letters, digits, . _ and -, at most 128 characters",
  code: "bad_name",
  pattern: EVENT_TYPE,
});

const span = durationOr("bad_wait");

const WAIT_MAP = record(
  {
    until: optional(anyJson, "Time at which the step continues: a date, or an expression with a date as its value."),
    event: optional(eventType, "Type of the event that the step waits for."),
    signal: optional(eventType, "Name of the signal to this run that the step waits for."),
    match: optional(
      mapOf(anyJson),
      "Key that the event must have, with exactly the same members and values; ${…} is filled in.",
    ),
    timeout: optional(span, "Maximum time to wait for the event or signal."),
    on_timeout: optional(choice(ON_TIMEOUT), "Effect when the time has passed without an event or signal.", {
      default: "fail",
    }),
  },
  { title: "a wait", foreign: WAIT_WORDS },
);

type RawWait = NonNullable<ReturnType<typeof WAIT_MAP.read>>;

export const waitShape: Shape<Written> = byKind("a duration such as 5m, or a map", {
  number: refine(span, delay),
  text: refine(span, delay),
  map: {
    read(value, path, report) {
      const raw = WAIT_MAP.read(value, path, report);
      return raw === undefined ? undefined : waitOf(raw, value, path, report);
    },
    schema: WAIT_MAP.schema,
  },
});

function waiting(wait: Wait, values: JsonObject = {}): Written {
  return { work: { kind: "wait", wait }, values };
}

function delay(ms: number): Written {
  return waiting({ kind: "delay", ms });
}

function waitOf(raw: RawWait, written: Json, path: TreePath, report: Report): Written | undefined {
  const { until, event, signal, match, timeout, on_timeout: onTimeout } = raw;
  const named = ["until", "event", "signal"].filter((name) => isWritten(written, name)).length;
  if (named !== 1) {
    const message =
      named === 0
        ? `${nameOf(path)} does not say what it waits for.`
        : `${nameOf(path)} waits for more than one thing.`;
    return refuse(path, report, message, "Write one of until, event and signal, or a duration such as 5m.");
  }
  // An invalid value has been reported already.
  if (until === undefined && event === undefined && signal === undefined) return undefined;
  if (match !== undefined && event === undefined)
    return refuse([...path, "match"], report, `"match" has no effect without "event".`, "Name the event, or remove it.");
  if (until !== undefined) return untilOf(raw, until, path, report);
  if (onTimeout !== undefined && timeout === undefined)
    return refuse([...path, "on_timeout"], report, `"on_timeout" has no effect without "timeout".`, "Add a timeout.");
  const ending = { timeoutMs: timeout ?? null, onTimeout: onTimeout ?? "fail" };
  if (signal !== undefined) return waiting({ kind: "signal", name: signal, ...ending });
  return waiting({ kind: "event", type: event ?? "", ...ending }, { match: match ?? {} });
}

function untilOf(raw: RawWait, until: Json, path: TreePath, report: Report): Written | undefined {
  if (raw.timeout !== undefined || raw.on_timeout !== undefined)
    return refuse([...path, "timeout"], report, `A wait for a moment ends at that moment.`, "Remove the timeout.");
  if (typeof until !== "string" || until.trim() === "") {
    const hint = "Write a date such as 2031-05-04T10:00:00Z, or an expression such as order.due_at.";
    return refuse([...path, "until"], report, `"until" must be text.`, hint);
  }
  const text = until.trim();
  const isText = text.includes("${") || instantOf(text) !== undefined;
  return waiting({ kind: "until" }, { until: isText ? text : `\${${text}}` });
}

export const emitShape: Shape<Written> = refine(
  record(
    {
      type: mandatory(eventType, "Type of the event."),
      key: optional(mapOf(anyJson), "Key of the event, which waiting steps compare with match; ${…} is filled in."),
      data: optional(anyJson, "Content of the event; ${…} is filled in.", { keepsNull: true }),
      keep: optional(span, "Time the event is stored for steps that begin to wait later, at most 7 days.", {
        default: "1h",
      }),
    },
    { title: "an event", foreign: EVENT_WORDS },
  ),
  (raw, path, report): Written | undefined => {
    const { type, key = {}, data = {}, keep } = raw;
    if (type === undefined) return undefined;
    if (keep !== undefined && keep > LIMITS.eventKeepMsMax)
      return refuse([...path, "keep"], report, `"keep" is longer than 7 days.`, "Write at most 7d.");
    return { work: { kind: "emit", emit: { type, keepMs: keep ?? LIMITS.eventKeepMsDefault } }, values: { key, data } };
  },
);

function refuse(path: TreePath, report: Report, message: string, hint: string): undefined {
  report.problem("bad_wait", path, message, { isAtKey: true, hint });
  return undefined;
}
