/** Keeps the subject of an approval within its size limits. Large values become references with a preview. */
import { digestText, type Json, type JsonObject, jsonToText, LIMITS, utf8Length } from "../base/index.ts";
import type { LargeValue, Shown, Subject } from "../event/index.ts";
import { hideCredentials, hideInJson } from "../redaction/index.ts";

const SHA = "sha256:";

/** Returns a value for display, without text that looks like a secret, and cut when it is large. */
export function shownValue(value: Json, ref: string): Json {
  return bytesOf(value) > LIMITS.shownValueBytesMax ? cut(value, ref) : hideInJson(value);
}

export function shownText(text: string, ref: string): string | LargeValue {
  return utf8Length(text) > LIMITS.shownValueBytesMax ? cut(text, ref) : hideCredentials(text);
}

/** Limits each member separately, so that one large value does not hide the others. */
export function shownMembers(values: JsonObject, ref: string): JsonObject {
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [name, shownValue(value, `${ref}.${name}`)]));
}

function bytesOf(value: Json): number {
  return utf8Length(typeof value === "string" ? value : JSON.stringify(value));
}

function cut(value: Json, ref: string): LargeValue {
  const text = jsonToText(value);
  return {
    $ref: ref,
    bytes: utf8Length(text),
    sha256: digestText(text).slice(SHA.length),
    // Secrets are hidden before the text is cut, because half a secret would not be recognised.
    preview: firstBytes(hideCredentials(text.slice(0, LIMITS.previewBytesMax * 2)), LIMITS.previewBytesMax),
  };
}

function firstBytes(text: string, max: number): string {
  let end = Math.min(text.length, max);
  while (utf8Length(text.slice(0, end)) > max)
    end -= Math.max(1, Math.floor((utf8Length(text.slice(0, end)) - max) / 3));
  // Half of a surrogate pair is not valid text.
  return text.slice(0, end).replace(/[\uD800-\uDBFF]$/u, "");
}

type Group = "parents" | "args" | "inputs" | "call" | "shown";

/** Cuts a subject to its total limit: first the largest values, then the largest groups. */
export function withinLimit(subject: Subject): Subject {
  let fitting = subject;
  for (const limit of [LIMITS.shownValueBytesMax / 4, LIMITS.previewBytesMax * 2]) {
    if (bytesOf(fitting as unknown as Json) <= LIMITS.subjectBytesMax) return fitting;
    fitting = cutAbove(fitting, limit);
  }
  for (const group of ["parents", "args", "inputs", "call", "shown"] as const) {
    if (bytesOf(fitting as unknown as Json) <= LIMITS.subjectBytesMax) return fitting;
    fitting = cutGroup(fitting, group);
  }
  return fitting;
}

function cutAbove(subject: Subject, limit: number): Subject {
  const fit = (value: Json, ref: string): Json => (bytesOf(value) > limit && !isCut(value) ? cut(value, ref) : value);
  const members = (values: JsonObject, ref: string): JsonObject =>
    Object.fromEntries(Object.entries(values).map(([name, value]) => [name, fit(value, `${ref}.${name}`)]));
  const { request, call } = subject;
  return {
    ...subject,
    ...(call === undefined
      ? {}
      : {
          call: {
            ...call,
            args: members(call.args, "call.args"),
            words: fitText(call.words, "call.words", limit),
          },
        }),
    args: members(subject.args, "args"),
    ...(subject.reads === undefined ? {} : { reads: members(subject.reads, "reads") }),
    request:
      request === null
        ? null
        : {
            ...request,
            message: fitText(request.message, "request.message", limit),
            stdin: request.stdin === null ? null : fitText(request.stdin, "request.stdin", limit),
            inputs: members(request.inputs, "inputs"),
            ...(request.reads === undefined ? {} : { reads: members(request.reads, "reads") }),
          },
    shown: subject.shown.map((item, index) => cutShown(item, `show[${index}]`, fit)),
    parents: Object.fromEntries(
      Object.entries(subject.parents).map(([id, outputs]) => [id, members(outputs, `${id}.outputs`)]),
    ),
  };
}

function fitText(text: string | LargeValue, ref: string, limit: number): string | LargeValue {
  return typeof text === "string" && utf8Length(text) > limit ? cut(text, ref) : text;
}

function cutShown(item: Shown, ref: string, fit: (value: Json, ref: string) => Json): Shown {
  const { value, before, after, ...rest } = item;
  return {
    ...rest,
    ...(value === undefined ? {} : { value: fit(value, ref) }),
    ...(before === undefined ? {} : { before: fit(before, `${ref}.before`) }),
    ...(after === undefined ? {} : { after: fit(after, `${ref}.after`) }),
  };
}

function cutGroup(subject: Subject, group: Group): Subject {
  if (group === "args") return { ...subject, args: { ...cut(subject.args, "args") } };
  if (group === "parents") return { ...subject, parents: { "": { ...cut(subject.parents, "parents") } } };
  if (group === "shown") {
    return { ...subject, shown: [{ label: "", kind: "value", value: { ...cut(subject.shown as Json, "shown") } }] };
  }
  const { request, call } = subject;
  if (group === "call") {
    return call === undefined
      ? subject
      : { ...subject, call: { ...call, args: { "": { ...cut(call.args, "call.args") } } } };
  }
  if (request === null) {
    const { reads: _, ...rest } = subject;
    return rest;
  }
  const { reads: _, ...rest } = request;
  return { ...subject, request: { ...rest, inputs: { ...cut(request.inputs, "inputs") } } };
}

function isCut(value: Json): boolean {
  return typeof value === "object" && value !== null && Object.hasOwn(value, "$ref");
}
