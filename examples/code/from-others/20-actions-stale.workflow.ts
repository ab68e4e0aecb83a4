/** Shows: old issues that are marked every day, and closed when they have been marked long enough. */
import { z } from "zod";
import { contains, date_diff, each, filter, gte, http, not, set, workflow } from "sluice/workflow";

export default workflow(
  "stale-issues",
  {
    args: z.object({
      repository: z.string().default("example/harbour"),
      today: z.string(),
      days_until_stale: z.number().default(60),
      days_until_closed: z.number().default(7),
    }),
  },
  ({ args }) => {
    const issues = http("issues", {
      url: `https://api.example.com/repos/${args.repository}/issues?state=open`,
      outputs: z.object({ issues: z.array(z.any()) }),
    });
    const sortStep = set("sort", {
      fresh: filter(issues.issues, (x) => not(contains(x.labels, "stale"))),
      stale: filter(issues.issues, (x) => contains(x.labels, "stale")),
    });
    const old = set("old", {
      to_mark: filter(sortStep.fresh, (x) => gte(date_diff(x.updated_at, args.today, "days"), args.days_until_stale)),
      to_close: filter(sortStep.stale, (x) => gte(date_diff(x.updated_at, args.today, "days"), args.days_until_closed)),
    });
    const mark = each(
      "mark",
      old.to_mark,
      (issue) =>
        http({
          url: `https://api.example.com/repos/${args.repository}/issues/${issue.number}/labels`,
          body: { labels: ["stale"] },
        }),
      { as: "issue", max_parallel: 2 },
    );
    const close = each(
      "close",
      old.to_close,
      (issue) =>
        http({
          method: "PATCH",
          url: `https://api.example.com/repos/${args.repository}/issues/${issue.number}`,
          body: { state: "closed" },
        }),
      { as: "issue", max_parallel: 2 },
    );
    return { marked: mark.count, closed: close.count };
  },
);
