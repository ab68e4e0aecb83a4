import { dirname } from "node:path";
import { fileURLToPath } from "node:url";
import { renderProblemDocs } from "../src/core/definition/index.ts";
import { renderEventDocs } from "./event-docs.ts";

export const ROOT = dirname(dirname(fileURLToPath(import.meta.url)));

/** Pages that are written from code; a test compares them, so that they cannot lie. */
export const DOCS: readonly { readonly path: string; readonly render: () => string }[] = [
  { path: "docs/events.md", render: renderEventDocs },
  { path: "docs/problem-codes.md", render: renderProblemDocs },
];
