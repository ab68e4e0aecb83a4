"use strict";

const { existsSync, readFileSync } = require("node:fs");
const { createRequire } = require("node:module");
const path = require("node:path");
const { Script } = require("node:vm");

const NAMES = "exports, require, module, __filename, __dirname, importOutside";

/** Runs the bundle beside this file, from its compiled code where this Node takes it. */
function load() {
  const filename = path.join(__dirname, "bundle.cjs");
  const compiled = path.join(__dirname, "compiled");
  const script = new Script(`(function (${NAMES}) {${readFileSync(filename, "utf8")}\n})`, {
    filename,
    ...(existsSync(compiled) ? { cachedData: readFileSync(compiled) } : {}),
  });
  const module = { exports: {} };
  const outside = createRequire(readFileSync(path.join(__dirname, "root"), "utf8"));
  const importOutside = (specifier) => import(specifier);
  script.runInThisContext()(module.exports, outside, module, filename, __dirname, importOutside);
  return { script, exports: module.exports };
}

module.exports = { load };

if (require.main === module) load().exports.runProcess(process.argv.slice(2));
