/** Shows: two calls of which the first that is answered wins. */
import { z } from "zod";
import { agent, http, workflow } from "sluice/workflow";

export default workflow(
  "raise-alarm",
  { args: z.object({ patient: z.string().default("P. Example"), room: z.number().default(12) }) },
  ({ args }) => {
    const callNurse = http("call_nurse", {
      method: "PUT",
      url: "nurses",
      body: { patient: args.patient, room: args.room },
    });
    const callDoctor = http("call_doctor", {
      method: "PUT",
      url: "doctors",
      body: { patient: args.patient, room: args.room },
    });
    agent("answered", { command: "Note who comes.", depends_on: [callNurse, callDoctor], join: "any", race: true });
  },
);
