import { z } from "zod";
import { defined, page } from "./input.ts";
import { defineTool, type FixedTool } from "./tool.ts";
import { answer } from "./tool-result.ts";
import { toolNameOf } from "./workflow-tool.ts";

const LOOKING = { readOnlyHint: true, openWorldHint: false };

export const workflowTools: readonly FixedTool[] = [
  defineTool({
    name: "list_workflows",
    title: "List workflows",
    description: "Lists the exposed workflows, with the tool that runs each. Only active workflows start new runs.",
    input: z.strictObject(page),
    annotations: LOOKING,
    handle: async (words, { api }) => {
      const { data, nextCursor } = await api.listWorkflows(defined(words));
      const workflows = data
        .filter(({ exposed }) => exposed)
        .map((workflow) => ({ ...workflow, tool: toolNameOf(workflow.name) }));
      const lines = workflows.map(({ name, version, status, tool }) => {
        return `${name}@${version} (${status})${tool === null ? "" : `: ${tool}`}`;
      });
      const nothing = "No workflow is exposed here; a manifest with exposed: true exposes one.";
      const found = { workflows, ...(nextCursor === undefined ? {} : { nextCursor }) };
      return answer(found, lines.join("\n") || (nextCursor === undefined ? nothing : "None on this page."));
    },
  }),
  defineTool({
    name: "validate_workflow",
    title: "Check a workflow",
    description:
      "Checks the text of a workflow (.lobsterX YAML or a lens graph) and reports all problems with line, column and hint. " +
      "Nothing is stored or run.",
    input: z.strictObject({ source: z.string().describe("Complete text of the workflow") }),
    annotations: LOOKING,
    handle: async ({ source }, { api }) => {
      const checked = await api.validate(source);
      const found = [...checked.problems, ...checked.warnings].map(({ line, column, code, message, hint }) => {
        return `${line ?? 1}:${column ?? 1}: ${code}: ${message}${hint === undefined ? "" : ` ${hint}`}`;
      });
      const count = checked.problems.length;
      const verdict = checked.ok
        ? "The workflow is valid."
        : `It is not valid: ${count} problem${count === 1 ? "" : "s"}.`;
      return answer(checked, [verdict, ...found].join("\n"));
    },
  }),
];
