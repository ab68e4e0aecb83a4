/** Shows: WCP-37, local synchronizing merge. How many branches come is known from the skips that reach the step itself. */
import { z } from "zod";
import { agent, gt, workflow } from "sluice/workflow";

export default workflow(
  "local-synchronizing-merge",
  {
    args: z.object({
      seats: z.number().default(2),
      rooms: z.number().default(1),
      is_breakfast_wanted: z.boolean().default(false),
    }),
  },
  ({ args }) => {
    const ask = agent("ask", { command: "Ask where they travel." });
    const flight = agent("flight", { when: gt(args.seats, 0), command: "Book the seats.", depends_on: [ask] });
    const hotel = agent("hotel", { when: gt(args.rooms, 0), command: "Book the rooms.", depends_on: [ask] });
    const breakfast = agent("breakfast", {
      when: args.is_breakfast_wanted,
      command: "Order breakfast.",
      depends_on: [hotel],
    });
    agent("bill", { command: "Write one bill.", depends_on: [flight, hotel, breakfast] });
  },
);
