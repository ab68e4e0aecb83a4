/** Shows: a job that is started, asked after every five seconds, and reported about. */
import { z } from "zod";
import { agent, eq, http, ne, repeat, workflow } from "sluice/workflow";

export default workflow(
  "monitor-job",
  { args: z.object({ job: z.string().default("nightly-export") }) },
  ({ args }) => {
    const submit = http("submit", { url: "jobs", body: { name: args.job }, outputs: z.object({ id: z.string() }) });
    const status = repeat(
      "status",
      () =>
        http({
          url: `https://jobs.example.com/jobs/${submit.id}`,
          outputs: z.object({ status: z.enum(["RUNNING", "SUCCEEDED", "FAILED"]) }),
        }),
      { until: (outputs) => ne(outputs.status, "RUNNING"), every: "5s", max: 1000 },
    );
    agent("succeeded", { when: eq(status.status, "SUCCEEDED"), command: `Report that ${submit.id} has succeeded.` });
    agent("failed", { when: eq(status.status, "FAILED"), command: `Report that ${submit.id} has failed.` });
  },
);
