/** Shows: two events that belong together, and a report about both. */
import { z } from "zod";
import { each, http, set, wait, workflow } from "sluice/workflow";

export default workflow(
  "room-readings",
  { timeout: "1h", args: z.object({ room: z.string().default("kitchen") }) },
  ({ args }) => {
    const temperature = wait(
      "temperature",
      { event: "sensors.temperature", match: { room: args.room } },
      { outputs: z.object({ celsius: z.number() }) },
    );
    const humidity = wait(
      "humidity",
      { event: "sensors.humidity", match: { room: args.room } },
      { outputs: z.object({ percent: z.number() }) },
    );
    const both = set("both", {
      readings: [
        { kind: "temperature", value: temperature.celsius },
        { kind: "humidity", value: humidity.percent },
      ],
    });
    const log = each("log", both.readings, (reading) => http({ url: "readings", body: reading }), { as: "reading" });
    http("report", { method: "POST", url: "report", depends_on: [log] });
    return { readings: both.readings };
  },
);
