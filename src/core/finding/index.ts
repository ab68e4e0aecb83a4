export { hasWords, searchWords, type SearchWord } from "./words.ts";
export { documentOf, type FoundRun, type RunDocument } from "./run-document.ts";
