import type { Script } from "../../adapters/index.ts";

/** Answers for the demo workflows: they need no key, cost nothing real, and are slow enough to watch. */
export const DEMO_SCRIPT: Script = {
  seed: 7,
  default: "auto",
  nodes: new Map([
    ["demo-hello/greet", [answer(["Good morning, ", "and welcome ", "aboard!"], 0.0002)]],
    [
      "demo-hello/postcard",
      [
        answer(
          [
            "Good morning, and welcome aboard! ",
            "The harbour is calm, ",
            "the lamps are lit, ",
            "and your cabin ",
            "faces east.",
          ],
          0.0004,
        ),
      ],
    ],
    [
      "demo-diamond/outline",
      [{ delay_ms: 600, stdout: "How do I get around? Where do I eat? What must I see?", cost_usd: 0.0003 }],
    ],
    [
      "demo-diamond/transport",
      [{ delay_ms: 900, stdout: "Trams climb the hills; a day card pays after four rides.", cost_usd: 0.0005 }],
    ],
    [
      "demo-diamond/food",
      [{ delay_ms: 1_400, stdout: "Grilled sardines in June, custard tarts all year.", cost_usd: 0.0005 }],
    ],
    [
      "demo-diamond/briefing",
      [
        answer(
          ["Take the tram up, ", "walk down, ", "eat sardines by the river, ", "and keep room for a custard tart."],
          0.0012,
        ),
      ],
    ],
    [
      "demo-approval/draft",
      [
        {
          delay_ms: 700,
          outputs: { text: "From Monday the ferry leaves every ten minutes.", risk: "HIGH" },
          cost_usd: 0.0006,
        },
      ],
    ],
    ["demo-approval/picture", [{ delay_ms: 400, fail: "provider_refused" as const }]],
    ["demo-approval/publish", [{ delay_ms: 300, stdout: "Published." }]],
    ["demo-approval/file_away", [{ delay_ms: 300, stdout: "Filed, not released." }]],
    [
      "demo-for-each/dishes",
      [{ delay_ms: 500, outputs: { dishes: ["Soup", "Fish", "Rice", "Cake"] }, cost_usd: 0.0002 }],
    ],
    ["demo-for-each/translate[0]", [{ delay_ms: 500, stdout: "Sopa", cost_usd: 0.0001 }]],
    ["demo-for-each/translate[1]", [{ delay_ms: 900, fail: "provider_refused" as const }]],
    ["demo-for-each/translate[2]", [{ delay_ms: 400, stdout: "Arroz", cost_usd: 0.0001 }]],
    ["demo-for-each/translate[3]", [{ delay_ms: 600, stdout: "Bolo", cost_usd: 0.0001 }]],
    ["demo-for-each/menu", [answer(["Sopa · ", "Arroz · ", "Bolo"], 0.0003)]],
  ]),
};

function answer(chunks: readonly string[], cost: number) {
  return { chunks: [...chunks], chunk_ms: 180, stdout: chunks.join(""), cost_usd: cost };
}
