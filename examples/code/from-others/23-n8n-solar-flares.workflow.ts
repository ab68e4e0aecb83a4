/** Shows: data that is fetched every week and goes two ways by what it says. */
import { z } from "zod";
import { count, date_add, each, filter, http, not, set, starts_with, workflow } from "sluice/workflow";

export default workflow("solar-flares", { args: z.object({ day: z.string() }) }, ({ args }) => {
  const flares = http("flares", {
    url: `https://space.example.com/flares?from=${date_add(args.day, -7, "days")}`,
    outputs: z.object({ flares: z.array(z.any()) }),
  });
  const sortStep = set("sort", {
    strong: filter(flares.flares, (flare) => starts_with(flare.class, "X")),
    weak: filter(flares.flares, (flare) => not(starts_with(flare.class, "X"))),
  });
  each(
    "warn",
    sortStep.strong,
    (flare) => http({ url: "warnings", body: { text: `A flare of class ${flare.class}` } }),
    { as: "flare" },
  );
  each("note", sortStep.weak, (flare) => http({ url: "notes", body: { text: `A flare of class ${flare.class}` } }), {
    as: "flare",
  });
  return { strong: count(sortStep.strong), weak: count(sortStep.weak) };
});
