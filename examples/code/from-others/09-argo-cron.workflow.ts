/** Shows: a workflow that starts by the clock and knows the time it was meant for. */
import { z } from "zod";
import { date_format, set, workflow } from "sluice/workflow";

export default workflow("scheduled-hello", { args: z.object({ slot: z.string() }) }, ({ args }) => {
  const hello = set("hello", { text: `Hello, scheduled for ${date_format(args.slot, "HH:mm")}.` });
  return { text: hello.text };
});
