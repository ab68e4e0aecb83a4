/** Shows: a call whose answer holds the address of the next one. */
import { z } from "zod";
import { http, set, upper, workflow } from "sluice/workflow";

export default workflow("homeworld", { args: z.object({ id: z.int().min(1) }) }, ({ args }) => {
  const person = http("person", {
    url: `https://people.example.com/people/${args.id}`,
    outputs: z.object({ name: z.string(), homeworld: z.string() }),
  });
  const world = http("world", {
    url: person.homeworld,
    outputs: z.object({ name: z.string(), population: z.string() }),
  });
  const line = set("line", { text: `${person.name} comes from ${upper(world.name)}.` });
  return { line: line.text };
});
