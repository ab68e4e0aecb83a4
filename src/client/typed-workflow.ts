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

/**
 * Workflows on the server, by name: `{ name: { args, outputs } }`. It is empty here; the file that `sluice types` writes
 * adds those of a server, and their names are then enough for typed starts and results.
 */
// oxlint-disable-next-line typescript/no-empty-interface -- it is there to be added to
export interface KnownWorkflows {}

/** What is started: a name, or a workflow that knows its types. */
export type AnyWorkflow = string | TypedWorkflow<object, object>;

export type ArgsOf<W extends AnyWorkflow> = W extends { readonly types?: { readonly args: infer Args } }
  ? Args
  : W extends keyof KnownWorkflows
    ? PartOf<KnownWorkflows[W], "args">
    : JsonObject;

export type OutputsOf<W extends AnyWorkflow> = W extends { readonly types?: { readonly outputs: infer Outputs } }
  ? Outputs
  : W extends keyof KnownWorkflows
    ? PartOf<KnownWorkflows[W], "outputs">
    : JsonObject;

type PartOf<Known, Part extends string> = Known extends { readonly [Name in Part]: infer Type } ? Type : JsonObject;

type Empty = { readonly [Name in never]: unknown };

/** Args may be left out only where none are needed. */
export type GivenArgs<W extends AnyWorkflow, More extends readonly unknown[]> =
  Empty extends ArgsOf<W> ? [args?: ArgsOf<W>, ...More] : [args: ArgsOf<W>, ...More];
