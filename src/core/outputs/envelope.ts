import { jsonToText, type Json, type JsonObject } from "../base/index.ts";
import type { OutputContract } from "../definition/index.ts";
import type { Envelope } from "../event/index.ts";

export interface EnvelopeParts {
  readonly stdout?: string | undefined;
  readonly outputs?: JsonObject | undefined;
  readonly envelope?: Envelope | undefined;
  readonly contract?: OutputContract | null | undefined;
}

/**
 * Builds the envelope of a result. An adapter's own envelope is kept, and only its empty fields are filled. Otherwise the kind
 * is that of the contract, else `text`, or `json` when there are only outputs; their JSON is then also the text.
 */
export function makeEnvelope(parts: EnvelopeParts): Envelope {
  const { stdout, outputs, envelope, contract } = parts;
  if (envelope !== undefined) return completeEnvelope(envelope, stdout, outputs);
  const isJsonOnly = stdout === undefined && outputs !== undefined && !isEmpty(outputs);
  const kind = isJsonOnly ? "json" : "text";
  const made: Envelope = {
    kind: contract?.kind ?? kind,
    artifactKind: contract?.artifactKind ?? kind,
    output: stdout ?? textOf(outputs),
  };
  const data = dataOf(stdout, outputs);
  if (data !== undefined) made.data = data;
  return made;
}

function completeEnvelope(envelope: Envelope, stdout: string | undefined, outputs: JsonObject | undefined): Envelope {
  const data = envelope.data ?? dataOf(stdout, outputs);
  return {
    ...envelope,
    output: envelope.output === "" ? (stdout ?? "") : envelope.output,
    ...(data === undefined ? {} : { data }),
  };
}

/** Empty outputs beside a text are dropped. Without a text they are kept: the answer was empty on purpose. */
function dataOf(stdout: string | undefined, outputs: JsonObject | undefined): JsonObject | undefined {
  return outputs !== undefined && (stdout === undefined || !isEmpty(outputs)) ? outputs : undefined;
}

function textOf(outputs: JsonObject | undefined): string {
  return outputs === undefined || isEmpty(outputs) ? "" : jsonToText(outputs);
}

function isEmpty(outputs: JsonObject): boolean {
  return Object.keys(outputs).length === 0;
}

/** Returns the data that paths of edges and overrides read: the parts of the envelope, and the outputs beside them. */
export function outputDataOf(envelope: Envelope, outputs: JsonObject): JsonObject {
  const parts: [string, Json | undefined][] = [
    ["output", envelope.output],
    ["data", envelope.data],
    ["media", envelope.media],
  ];
  return Object.fromEntries([
    ...parts.flatMap(([key, value]): [string, Json][] => (value === undefined ? [] : [[key, value]])),
    ...Object.entries(outputs),
  ]);
}
