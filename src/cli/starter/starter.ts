/** A project to begin with. Every text is a whole file; the path is below the folder it is written to. */
export interface Starter {
  readonly name: string;
  /** What it shows, in one line. */
  readonly about: string;
  readonly format: "lobsterx" | "lens-graph";
  readonly workflow: { readonly path: string; readonly text: string };
  readonly script: { readonly path: string; readonly text: string };
  readonly registry: string;
  /** Of the commands in the README, after the file. */
  readonly args: string;
}
