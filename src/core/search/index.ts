export { hasWords, searchWords, type SearchWord } from "./words.ts";
export { documentOf, type RunDocument } from "./run-document.ts";
export * from "./trend.ts";
