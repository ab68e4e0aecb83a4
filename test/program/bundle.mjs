/**
 * Bundles the program for tests that start many processes of it: `node bundle.mjs TARGET`. Started from one file with its
 * compiled code beside it, a process is ready with a quarter of the processor time that loading a thousand modules takes.
 * The modules are the same ones, and each still knows where its source is.
 */
import { copyFileSync, mkdirSync, writeFileSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { build } from "esbuild";

const HERE = dirname(fileURLToPath(import.meta.url));
const ROOT = join(HERE, "..", "..");
/** Packages that read files beside their own. */
const EXTERNAL = ["@electric-sql/pglite", "@pydantic/genai-prices", "pg-native"];

const [target] = process.argv.slice(2);
if (target === undefined) throw new Error("usage: node bundle.mjs TARGET");

/** A module finds what lies beside its source, and a file named at run time is imported from outside the bundle. */
const places = {
  name: "places",
  setup({ onLoad }) {
    onLoad({ filter: /[\\/]src[\\/].*\.ts$/ }, async ({ path }) => {
      const text = await readFile(path, "utf8");
      const contents = text
        // Only the first line of a program may be one for the shell, and the bundle begins with another.
        .replace(/^#!.*\n/, "")
        .replaceAll("import.meta.url", JSON.stringify(pathToFileURL(path).href))
        .replaceAll(/\bimport\((?!["'])/g, "importOutside(");
      return { contents, loader: "ts" };
    });
  },
};

mkdirSync(target, { recursive: true });
await build({
  entryPoints: [join(ROOT, "src", "cli", "main.ts")],
  outfile: join(target, "bundle.cjs"),
  bundle: true,
  platform: "node",
  target: "node20",
  format: "cjs",
  // Compiled code that is kept cannot contain `import()`: Node finds no loader for it in the next process.
  supported: { "dynamic-import": false },
  external: EXTERNAL,
  plugins: [places],
  minifyWhitespace: true,
  legalComments: "none",
});
// Packages are found from the checkout, wherever the bundle is.
writeFileSync(join(target, "root"), join(ROOT, "package.json"));
copyFileSync(join(HERE, "sluice.cjs"), join(target, "sluice.cjs"));
const { load } = createRequire(import.meta.url)(join(target, "sluice.cjs"));
writeFileSync(join(target, "compiled"), load().script.createCachedData());
