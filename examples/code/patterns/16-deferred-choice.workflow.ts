/** Shows: WCP-16, deferred choice. What happens first outside decides which branch is taken; the other is withdrawn. */
import { z } from "zod";
import { agent, set, wait, workflow } from "sluice/workflow";

export default workflow("deferred-choice", { args: z.object({ offer: z.string().default("o-1") }) }, ({ args }) => {
  const accepted = wait("accepted", { event: "offer.accepted", match: { offer: args.offer } });
  const declined = wait("declined", { event: "offer.declined", match: { offer: args.offer } });
  const expired = wait("expired", "2h");
  set("answered", { is_closed: true }, { depends_on: [accepted, declined, expired], join: "any", race: true });
  agent("sign", { command: "Sign the contract.", depends_on: [accepted] });
  agent("thank", { command: "Thank them all the same.", depends_on: [declined] });
  agent("forget", { command: "Put the offer away.", depends_on: [expired] });
});
