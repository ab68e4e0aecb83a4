import type { Params } from "./match.ts";

/** Properties that the shell passes to every screen. */
export interface ScreenProps {
  /** Parameters of the path, such as `id` for `/runs/:id`. */
  readonly params: Params;
}
