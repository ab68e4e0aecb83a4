export { readDocuments, readSource } from "./read-source.ts";
export { findUnstorable, repairText } from "./storable.ts";
export type { SourceTree } from "./source-tree.ts";
export { compilePattern, type Pattern } from "./pattern.ts";
export { type DiffHunk, type DiffLine, diffLines, hunksOf } from "./line-diff.ts";
export { printYaml } from "./print-yaml.ts";
export { Html, html } from "./html.ts";
export { markdownHtml } from "./markdown-html.ts";
