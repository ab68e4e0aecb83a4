import { isJsonArray, isJsonObject, type Json } from "../base/index.ts";
import type { Catalog } from "./definition.ts";
import type { Report } from "./report.ts";
import type { Located } from "./shape.ts";
import type { RawStep } from "./step-shape.ts";
import { fitsTool, serverInName } from "./tool-name.ts";
import { isWritten } from "./record.ts";

/** Checks the models and tools of a step. */
export function checkTools({ read, raw, path }: Located<RawStep>, catalog: Catalog, report: Report): void {
  if (isWritten(raw, "model") && isWritten(raw, "models")) {
    const message = `A step has either "model" or "models".`;
    const hint = "Keep models: the first one is asked first, the others when it fails.";
    report.problem("conflicting_fields", [...path, "models"], message, { isAtKey: true, hint });
  }
  checkModels(raw, path, report);
  checkNames(read.tools ?? [], report);
  for (const { read: tool, path: at } of read.tools ?? []) {
    const isKnown =
      tool.own?.kind === "script" ||
      tool.action !== null ||
      (catalog.tools ?? []).some((one) => fitsTool(one, tool.name, serverInName(tool.name)));
    if (isKnown) continue;
    const message = `Nothing says what kind of act a call of "${tool.name}" is, so that it counts as execute.`;
    const hint = `Write {name: ${tool.name}, action: read}, or apply a manifest of kind Tool.`;
    report.warning("tool_action_unknown", at, message, { hint });
  }
}

/** Reports duplicate names of step tools. A step tool is identified by its name alone. */
function checkNames(tools: NonNullable<RawStep["tools"]>, report: Report): void {
  const own = new Set<string>();
  for (const { read, path } of tools) {
    if (read.own === null) continue;
    if (own.has(read.name)) {
      report.problem("duplicate_id", path, `"tools" names "${read.name}" twice.`, { hint: "Remove one of them." });
    }
    own.add(read.name);
  }
}

/** Reports a model that is listed twice. A model that has failed is not tried again. */
function checkModels(raw: Json, path: Located<RawStep>["path"], report: Report): void {
  const models = isJsonObject(raw) ? raw["models"] : undefined;
  if (!isJsonArray(models)) return;
  for (const [index, model] of models.entries()) {
    if (typeof model !== "string" || models.indexOf(model) === index) continue;
    const at = [...path, "models", index];
    report.problem("duplicate_id", at, `"models" names "${model}" twice.`, { hint: "Remove one of them." });
  }
}
