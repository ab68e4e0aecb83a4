import { describe, expect, it } from "vitest";
import { readWorkflow } from "../../../browser/index.ts";
import { fromTemplate, TEMPLATES } from "./templates.ts";

describe("templates", () => {
  it.each(TEMPLATES.map(({ id }) => id).filter((id) => id !== "empty"))("%s is a workflow without problems", (id) => {
    const { plan, problems, warnings } = readWorkflow(fromTemplate(id, "my-workflow"));
    expect({ problems, warnings }).toEqual({ problems: [], warnings: [] });
    expect(plan?.name).toBe("my-workflow");
  });
});
