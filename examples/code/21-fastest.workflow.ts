/** Shows: a step that starts with the first of three results, and a race that stops the slower ones. */
import { agent, workflow } from "sluice/workflow";

export default workflow(
  "fastest",
  {
    description: "Asks three suppliers. The first answer is taken, and two of three quotes are enough for the record.",
  },
  () => {
    const north = agent("north", { command: "Ask the northern supplier for a price." });
    const south = agent("south", { command: "Ask the southern supplier for a price." });
    const east = agent("east", { command: "Ask the eastern supplier for a price." });
    agent("record", { command: `Record the quotes ${north.stdout} ${south.stdout} ${east.stdout}`, join: 2 });
    agent("order", {
      command: `Order at the price ${north.stdout}${south.stdout}${east.stdout}`,
      depends_on: [north, south, east],
      join: "any",
    });
    const callStep = agent("call", { command: "Call the supplier's desk." });
    const write = agent("write", { command: "Write to the supplier." });
    agent("confirmed", { command: `Note the confirmation ${callStep.stdout}${write.stdout}`, join: "any", race: true });
  },
);
