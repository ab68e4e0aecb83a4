/**
 * Loads a module of workflows in a process of its own and reports what it exports: `node --import tsx module-host.mjs FILE`.
 * Whatever the module does, loops and exits included, it does it here.
 */
import { pathToFileURL } from "node:url";

const WORKFLOW = Symbol.for("sluice.workflow");

function isWorkflow(value) {
  return typeof value === "object" && value !== null && WORKFLOW in value;
}

/** A definition with those of the workflows it starts. */
function described(workflow) {
  const { places, children } = workflow[WORKFLOW];
  const { name, definition } = workflow;
  return { exportNames: [], name, definition, places, children: children.map(described) };
}

/** Each once, with all names under which it is exported. Lists are read as well, as `export const all = [a, b]`. */
function workflowsIn(exported) {
  const namesOf = new Map();
  for (const [name, value] of Object.entries(exported)) {
    for (const one of [value].flat().filter(isWorkflow)) namesOf.set(one, [...(namesOf.get(one) ?? []), name]);
  }
  return [...namesOf].map(([workflow, exportNames]) => ({ ...described(workflow), exportNames }));
}

const CASES = Symbol.for("sluice.cases");

/** Cases that `cases()` of sluice/testing made, with the workflow if they were given one and no path. */
function casesIn(exported) {
  const found = Object.values(exported).filter(
    (value) => typeof value === "object" && value !== null && CASES in value,
  );
  return [...new Set(found)].map((document) => {
    const workflow = document[CASES];
    return { document, workflow: isWorkflow(workflow) ? described(workflow) : null };
  });
}

/** Without "type": "module", the default export of a module that exports nothing is an empty object. */
function namesOf(exported) {
  const names = Object.keys(exported).filter((name) => name !== "module.exports");
  const { default: only } = exported;
  const isEmpty = names.length === 1 && typeof only === "object" && only !== null && Object.keys(only).length === 0;
  return isEmpty ? [] : names;
}

function failureOf(thrown) {
  if (!(thrown instanceof Error)) return { name: "", message: String(thrown), stack: "" };
  const { name, message, stack = "" } = thrown;
  const [code, path, hint] = ["code", "path", "hint"].map((key) =>
    typeof thrown[key] === "string" ? thrown[key] : "",
  );
  return { name, message, stack, code, path, hint };
}

// What an author wrote may stand deep in a stack.
Error.stackTraceLimit = 100;

function report(message) {
  process.send(message, () => process.exit(0));
}

try {
  const exported = await import(pathToFileURL(process.argv[2]).href);
  report({ ok: true, exports: namesOf(exported), workflows: workflowsIn(exported), cases: casesIn(exported) });
} catch (thrown) {
  report({ ok: false, failure: failureOf(thrown) });
}
