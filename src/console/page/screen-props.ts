import type { Params } from "./match.ts";

/** What the shell passes to every screen. */
export interface ScreenProps {
  /** Of the path: `/runs/:id` gives `id`. */
  readonly params: Params;
}
