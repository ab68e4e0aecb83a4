import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { SCHEMA_FORMATS, schemaOf } from "../src/cli/schema.ts";
import { openApiDocument } from "../src/server/openapi.ts";
import { ROUTES } from "../src/server/index.ts";
import { packSeed } from "../src/store/embedded/index.ts";
import { CHECKOUT } from "./checkout.mjs";

/** After the build of `npm pack`: what a package has in `dist` beside the program. */
const schemas = join(CHECKOUT, "dist", "schemas");
mkdirSync(schemas, { recursive: true });
for (const format of SCHEMA_FORMATS) write(`${format}.json`, schemaOf(format));
write("openapi.json", openApiDocument(ROUTES, null));
await packSeed();

function write(name: string, document: object): void {
  writeFileSync(join(schemas, name), `${JSON.stringify(document)}\n`);
}
