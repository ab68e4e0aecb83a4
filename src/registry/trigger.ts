import { z } from "zod";
import { getOwn, isJsonObject, type Json, type JsonObject, LIMITS, type TreePath } from "../core/base/index.ts";
import { EVENT_TYPE, LABEL_NAME } from "../core/definition/index.ts";
import { PRIORITIES, WHEN_FULL } from "../core/event/index.ts";
import { parseExpression, parsePath } from "../core/expression/index.ts";
import { parseValue, type Value, type Values } from "../core/template/index.ts";
import type { Entry } from "../store/index.ts";
import { anyMap, asBody, checked, readBody, secret, spec, whole, workflowName } from "./field.ts";
import { scheduleSourceOf, timingProblems, timingSpec } from "./schedule.ts";
import { shown, specProblem, type SpecProblem } from "./spec-problem.ts";
import {
  ENCODINGS,
  type IdPlace,
  RESPONSES,
  type Trigger,
  type TriggerConcurrency,
  type TriggerSource,
  VERIFICATIONS,
} from "./trigger-kind.ts";
import { expressionProblems, TRIGGER_STYLE, valueProblems } from "./trigger-names.ts";

const HEADER_DEFAULT = "x-signature";
const LIMIT_MAX = 10_000;
const SOURCES = ["schedule", "hook", "event", "form"] as const;

const headerName = checked(
  z.string().min(1).max(100),
  (word) => /^[A-Za-z0-9-]+$/.test(word),
  "must be the name of a header",
  { code: "bad_name" },
);

export const triggerSpec = spec({
  workflow: workflowName.describe("Workflow that is started"),
  on: spec({
    schedule: timingSpec.nullish().describe("Start at given times: cron or every_seconds, timezone, overlap, missed"),
    hook: spec({
      verify: z.enum(VERIFICATIONS).describe("Method of verifying the sender; none: only the secret address"),
      secret: secret.nullish().describe("Write-only: secret shared with the sender; user:password for basic"),
      id_from: z
        .string()
        .nullish()
        .describe("Field with the id of a delivery, such as body.id or headers.x-request-id"),
      header: headerName.nullish().describe(`hmac: header with the signature; default: ${HEADER_DEFAULT}`),
      encoding: z.enum(ENCODINGS).nullish().describe("hmac: encoding of the signature; default: hex"),
    })
      .nullish()
      .describe("Start by a message from outside: verify, secret, id_from"),
    event: spec({
      type: z.string().describe("Type of the event"),
      match: anyMap
        .nullish()
        .describe("Key that the event must have, with exactly the same members and values. Default: any key"),
    })
      .nullish()
      .describe("Start by an event: type, match"),
    form: spec({
      public: z.boolean().default(false).describe("Whether the page needs no sign-in. Its address cannot be guessed"),
    })
      .nullish()
      .describe("Start by a page made from the args of the workflow: public"),
  }).describe("Source of starts: one of schedule, hook, event, form"),
  filter: z
    .string()
    .nullish()
    .describe(
      "Expression over body, headers and query. Only messages for which it is true start a run. Default: all messages",
    ),
  args: anyMap
    .nullish()
    .describe(
      "Args of the run: values, with ${…} over body, headers and query. Default: members of the body with the same names",
    ),
  labels: anyMap.nullish().describe("Labels of the runs: texts, with ${…} over body, headers and query"),
  concurrency: spec({
    key: z
      .string()
      .nullish()
      .describe(
        "Expression over body, headers and query. Runs with the same value share the limit. Default: all runs share it",
      ),
    limit: whole(1, LIMIT_MAX).default(1).describe("Maximum number of open runs"),
    when_full: z.enum(WHEN_FULL).default("queue").describe("Handling of further runs"),
  })
    .nullish()
    .describe("Limit of open runs started by the trigger"),
  priority: z
    .enum(PRIORITIES)
    .nullish()
    .describe("Priority of the runs: high, normal or low. Default: the priority of the workflow"),
  respond: z
    .enum(RESPONSES)
    .default("accepted")
    .describe("Answer to the sender: empty, the outputs or the id of the run"),
  enabled: z.boolean().default(true).describe("Whether the trigger starts runs"),
});

/** Path of the secret in the spec, which is stored separately. */
export const TRIGGER_SECRET = "on.hook.secret";

export function triggerOf({ id, body, savedBy }: Entry): Trigger {
  const written = readBody(triggerSpec, body);
  const filter = written.filter === undefined ? undefined : parseExpression(written.filter);
  if (filter?.ok === false) throw new Error(`its filter cannot be read: ${filter.failure.message}`);
  return {
    origin: "trigger",
    name: id,
    workflow: written.workflow,
    on: sourceOf(written.on),
    filter: filter?.value ?? null,
    args: written.args === undefined ? null : valuesOf(asBody(written.args)),
    labels: written.labels === undefined ? {} : valuesOf(asBody(written.labels)),
    concurrency: concurrencyOf(written.concurrency),
    priority: written.priority ?? null,
    respond: written.respond,
    isEnabled: written.enabled,
    savedBy,
  };
}

function concurrencyOf(written: z.output<typeof triggerSpec>["concurrency"]): TriggerConcurrency | null {
  if (written === undefined) return null;
  const { key, limit, when_full: whenFull } = written;
  return { key: key === undefined ? null : keyOf(key), limit, whenFull };
}

/** Parses the key: an expression, or a text that contains expressions. */
function keyOf(written: string): Value {
  if (!written.includes("${")) {
    const parsed = parseExpression(written);
    if (parsed.ok) return { kind: "expression", expression: parsed.value };
    throw new Error(`its key cannot be read: ${parsed.failure.message}`);
  }
  const parsed = parseValue(written, TRIGGER_STYLE);
  if (!parsed.ok) throw new Error(`its key cannot be read: ${parsed.failure.message}`);
  return parsed.value;
}

function sourceOf({ schedule, hook, event, form }: z.output<typeof triggerSpec>["on"]): TriggerSource {
  if (schedule !== undefined) return scheduleSourceOf(schedule);
  if (event !== undefined) return { kind: "event", type: event.type, match: asBodyOrNull(event.match) };
  if (form !== undefined) return { kind: "form", isPublic: form.public };
  if (hook === undefined) throw new Error("nothing starts it");
  return {
    kind: "hook",
    verify: hook.verify,
    idFrom: hook.id_from === undefined ? null : idPlaceOf(hook.id_from),
    header: (hook.header ?? HEADER_DEFAULT).toLowerCase(),
    encoding: hook.encoding ?? "hex",
  };
}

function asBodyOrNull(match: Readonly<Record<string, Json>> | undefined): JsonObject | null {
  return match === undefined ? null : asBody(match);
}

function valuesOf(args: JsonObject): Values {
  const values = Object.entries(args).map(([arg, value]) => {
    const parsed = parseValue(value, TRIGGER_STYLE);
    if (!parsed.ok) throw new Error(`its arg ${arg} cannot be read: ${parsed.failure.message}`);
    return [arg, parsed.value] as const;
  });
  return Object.fromEntries(values);
}

/** Parses `body.event.id`, `headers.x-request-id`, `query.id`. */
function idPlaceOf(written: string): IdPlace | null {
  const parsed = parsePath(written);
  if (!parsed.ok || parsed.value.text.startsWith("$")) return null;
  const [part, ...path] = parsed.value.segments;
  if ((part !== "body" && part !== "headers" && part !== "query") || path.length === 0) return null;
  return { part, path: part === "headers" ? path.map((segment) => String(segment).toLowerCase()) : path };
}

export function triggerProblems(written: JsonObject): readonly SpecProblem[] {
  const on = getOwn(written, "on");
  return [
    ...(isJsonObject(on) ? sourceProblems(on) : []),
    ...expressionProblems(getOwn(written, "filter"), ["filter"]),
    ...valueProblems(getOwn(written, "args"), ["args"]),
    ...labelProblems(getOwn(written, "labels")),
    ...keyProblems(getOwn(written, "concurrency")),
  ];
}

function labelProblems(labels: Json | undefined): readonly SpecProblem[] {
  if (!isJsonObject(labels)) return [];
  const names = Object.keys(labels);
  const bad = names.filter((name) => !LABEL_NAME.test(name) || typeof labels[name] === "object");
  const hint = "Write a name of letters, digits, _, . or -, and a text such as ${body.customer}.";
  const problems = bad.map((name) =>
    specProblem("bad_label", ["labels", name], `The label ${shown(name)} cannot be used.`, { isAtKey: true, hint }),
  );
  if (names.length > LIMITS.labelsMax) {
    const message = `There are ${names.length} labels; at most ${LIMITS.labelsMax} are allowed.`;
    problems.push(specProblem("bad_label", ["labels"], message));
  }
  return [...problems, ...valueProblems(labels, ["labels"])];
}

function keyProblems(concurrency: Json | undefined): readonly SpecProblem[] {
  if (!isJsonObject(concurrency)) return [];
  const key = getOwn(concurrency, "key");
  return typeof key === "string" && key.includes("${")
    ? valueProblems({ key }, ["concurrency"])
    : expressionProblems(key, ["concurrency", "key"]);
}

function sourceProblems(on: JsonObject): readonly SpecProblem[] {
  const given = SOURCES.filter((kind) => (getOwn(on, kind) ?? null) !== null);
  const [, second] = given;
  if (given.length === 0) {
    const hint = `Write one of them, such as "schedule: {cron: '0 9 * * mon-fri'}".`;
    return [specProblem("missing_field", ["on"], `"on" needs one of ${SOURCES.join(", ")}.`, { hint })];
  }
  if (second !== undefined) {
    const more = { isAtKey: true, hint: "Write a trigger for each." };
    return [specProblem("conflicting_fields", ["on", second], `"on" has ${given.join(" and ")}.`, more)];
  }
  const [schedule, hook, event] = [getOwn(on, "schedule"), getOwn(on, "hook"), getOwn(on, "event")];
  if (isJsonObject(schedule)) return timingProblems(schedule, ["on", "schedule"]);
  if (isJsonObject(event)) return eventProblems(event);
  return isJsonObject(hook) ? hookProblems(hook) : [];
}

/** No event has another type than those that can be sent and emitted. */
function eventProblems(event: JsonObject): readonly SpecProblem[] {
  const type = getOwn(event, "type");
  if (typeof type !== "string" || EVENT_TYPE.test(type)) return [];
  const message = `No event has the type ${shown(type)}.`;
  const hint = "Write a type such as order.paid: letters, digits, . _ and -, at most 128 characters.";
  return [specProblem("bad_name", ["on", "event", "type"], message, { hint })];
}

function inHook(key: string): TreePath {
  return ["on", "hook", key];
}

function hookProblems(hook: JsonObject): readonly SpecProblem[] {
  const { verify, secret: shared, id_from: idFrom } = hook;
  const problems: SpecProblem[] = [];
  for (const key of ["header", "encoding"]) {
    if ((getOwn(hook, key) ?? null) === null || verify === "hmac") continue;
    const message = `"${key}" belongs to verify: hmac; ${typeof verify === "string" ? verify : "others"} has its own.`;
    problems.push(specProblem("conflicting_fields", inHook(key), message, { isAtKey: true, hint: "Remove it." }));
  }
  if (verify === "none" && (shared ?? null) !== null) {
    const message = `With verify: none no secret is checked; the address itself is the secret.`;
    problems.push(specProblem("conflicting_fields", inHook("secret"), message, { isAtKey: true, hint: "Remove it." }));
  }
  if (verify === "basic" && typeof shared === "string" && !/^[^:]+:/.test(shared)) {
    const message = `The secret of verify: basic must be a user and a password.`;
    problems.push(specProblem("wrong_type", inHook("secret"), message, { hint: "Write it as user:password." }));
  }
  if (typeof idFrom === "string" && idPlaceOf(idFrom) === null) {
    const message = `"id_from" must be a place in the message, but it is ${shown(idFrom)}.`;
    const hint = "Write a path such as body.id, headers.x-request-id or query.id.";
    problems.push(specProblem("bad_expression", inHook("id_from"), message, { hint }));
  }
  return problems;
}
