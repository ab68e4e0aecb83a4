import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { DOCS, ROOT } from "./generated-docs.ts";

/** `npm run docs`: writes every page that follows from code. */
for (const { path, render } of DOCS) writeFileSync(join(ROOT, path), render());
