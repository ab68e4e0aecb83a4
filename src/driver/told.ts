import type { Input } from "../core/engine/index.ts";

/** An input without its moment and its chance, which are added when its turn comes. */
export type Told = Input extends infer One ? (One extends Input ? Omit<One, "at" | "jitter"> : never) : never;
