/** Shows: the first workflow in TypeScript: a call per element, a person who decides, outputs with types. */
import { z } from "zod";
import { agent, each, gate, gt, http, length, workflow } from "sluice/workflow";

const Issue = z.object({ number: z.int(), title: z.string() });

export default workflow("triage", { args: z.object({ repo: z.string() }) }, ({ args }) => {
  const issues = http("fetch", {
    url: `https://api.example.com/repos/${args.repo}/issues`,
    outputs: z.object({ items: z.array(Issue) }),
  });
  const judged = each("judge", issues.items, (issue) =>
    agent({
      command: `Classify: ${issue.title}`,
      outputs: z.object({ label: z.enum(["bug", "idea"]) }),
    }),
  );
  gate("release", { show: judged.items, when: gt(length(judged.items), 0) });
  return { labels: judged.items };
});
