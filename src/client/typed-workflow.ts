import type { JsonObject } from "../core/base/index.ts";

/**
 * A workflow on the server. One that is written in code carries the types of its args and outputs, so that starts and
 * results are checked by the compiler; a name alone says nothing about them.
 */
export interface TypedWorkflow<Args extends object = JsonObject, Outputs extends object = JsonObject> {
  readonly name: string;
  /** Default: the newest. */
  readonly version?: number;
  /** For the compiler alone; there is never a value. */
  readonly types?: { readonly args: Args; readonly outputs: Outputs };
}

/** What is started: a name, or a workflow that knows its types. */
export type AnyWorkflow = string | TypedWorkflow<object, object>;

export type ArgsOf<W extends AnyWorkflow> = W extends { readonly types?: { readonly args: infer Args } }
  ? Args
  : JsonObject;

export type OutputsOf<W extends AnyWorkflow> = W extends { readonly types?: { readonly outputs: infer Outputs } }
  ? Outputs
  : JsonObject;
