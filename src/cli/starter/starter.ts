/** A starter project. Each text is a whole file, and its path is relative to the target folder. */
export interface Starter {
  readonly name: string;
  /** One line that describes what the starter shows. */
  readonly about: string;
  readonly format: "lobsterx" | "lens-graph";
  readonly workflow: { readonly path: string; readonly text: string };
  readonly script: { readonly path: string; readonly text: string };
  readonly registry: string;
  /** Arguments of the commands in the README, placed after the file. */
  readonly args: string;
}
