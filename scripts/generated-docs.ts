import { dirname } from "node:path";
import { fileURLToPath } from "node:url";
import { renderProblemDocs } from "../src/core/definition/index.ts";
import { renderEventDocs } from "./event-docs.ts";
import { renderApiReference } from "./reference/api-reference.ts";
import { renderCliReference } from "./reference/cli-reference.ts";
import { renderFormatReference } from "./reference/format-reference.ts";
import { renderFunctionReference } from "./reference/function-reference.ts";
import { renderManifestReference } from "./reference/manifest-reference.ts";
import { renderMetricReference } from "./reference/metric-reference.ts";

export const ROOT = dirname(dirname(fileURLToPath(import.meta.url)));

/** Pages that are generated from code; a test compares them with the code. */
export const DOCS: readonly { readonly path: string; readonly render: () => string }[] = [
  { path: "docs/events.md", render: renderEventDocs },
  { path: "docs/problem-codes.md", render: renderProblemDocs },
  { path: "docs/reference/api.md", render: renderApiReference },
  { path: "docs/reference/cli.md", render: renderCliReference },
  { path: "docs/reference/formats.md", render: renderFormatReference },
  { path: "docs/reference/functions.md", render: renderFunctionReference },
  { path: "docs/reference/manifests.md", render: renderManifestReference },
  { path: "docs/reference/metrics.md", render: () => renderMetricReference(ROOT) },
];
