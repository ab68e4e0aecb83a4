/**
 * Bundles the compiled program: `node bundle-program.mjs DIST`. A start that loads thirty files is ready in half the processor
 * time of one that loads a thousand. What a command does not need stays in parts that are loaded only when it is used, and
 * packages stay where npm puts them. The files that the package exports stay as they are.
 */
import { readFile, writeFile } from "node:fs/promises";
import { join, relative, sep } from "node:path";
import { build } from "esbuild";

const [dist] = process.argv.slice(2);
if (dist === undefined) throw new Error("usage: node bundle-program.mjs DIST");

/** A module still finds what lies beside its own file: the pages, the seed, the code of threads. */
const places = {
  name: "places",
  setup({ onLoad }) {
    onLoad({ filter: /\.js$/ }, async ({ path }) => {
      const text = await readFile(path, "utf8");
      const beside = relative(join(dist, "cli"), path).split(sep).join("/");
      const url = `new URL(${JSON.stringify(beside.startsWith(".") ? beside : `./${beside}`)}, import.meta.url).href`;
      return { contents: text.replace(/^#!.*\n/, "").replaceAll("import.meta.url", url), loader: "js" };
    });
  },
};

const { outputFiles } = await build({
  entryPoints: [join(dist, "cli", "main.js")],
  outdir: join(dist, "cli"),
  chunkNames: "part-[hash]",
  bundle: true,
  splitting: true,
  platform: "node",
  target: "node20",
  format: "esm",
  packages: "external",
  plugins: [places],
  minifySyntax: true,
  minifyWhitespace: true,
  legalComments: "none",
  banner: { js: "#!/usr/bin/env node" },
  write: false,
});
for (const { path, contents } of outputFiles) await writeFile(path, contents);
