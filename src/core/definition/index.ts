export * from "./definition.ts";
export * from "./field.ts";
export { checkArgs } from "./args.ts";
export { readCatalog } from "./catalog.ts";
export { jsonSchema } from "./json-schema.ts";
export { parseLens, type LensProblem } from "./lens.ts";
export { PROBLEM_DOCS, renderProblemDocs } from "./problem-docs.ts";
export { EMPTY_CATALOG, readDefinition, type Checked } from "./read-definition.ts";
export { suggest } from "./suggest.ts";
