import type { JsonObject } from "../core/base/index.ts";

/**
 * A workflow on the server. A workflow written in code also carries the types of its args and outputs, so that the
 * compiler checks starts and results. A name alone carries no types.
 */
export interface TypedWorkflow<Args extends object = JsonObject, Outputs extends object = JsonObject> {
  readonly name: string;
  /** Version to start. Default: the newest. */
  readonly version?: number;
  /** Only for the compiler. The field never has a value. */
  readonly types?: { readonly args: Args; readonly outputs: Outputs };
}

/**
 * Workflows on the server by name: `{ name: { args, outputs } }`. Empty here. The file that `sluice types` writes adds
 * the workflows of a server, so that their names are enough for typed starts and results.
 */
// oxlint-disable-next-line typescript/no-empty-interface -- it is there to be added to
export interface KnownWorkflows {}

/** A workflow to start: its name, or an object that carries its types. */
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

/** Parameters for args and options. Args may be omitted only when none are required. */
export type GivenArgs<W extends AnyWorkflow, More extends readonly unknown[]> =
  Empty extends ArgsOf<W> ? [args?: ArgsOf<W>, ...More] : [args: ArgsOf<W>, ...More];
