import type { Script } from "../bridge/index.ts";

/** A workflow to look at when there is none yet: a diamond, a list and a summary, rehearsed without any key. */
export const DEMO_SOURCE = `name: harbour-report
description: Watches two instruments, asks three pilots, writes the morning report.
args:
  harbour: { type: string, default: Northgate }
steps:
  - id: read_tide
    command: Read the tide gauge of \${harbour}.
    outputs: { height_cm: { type: integer, minimum: 0, maximum: 900 }, trend: { type: string, enum: [rising, falling] } }
  - id: read_wind
    on_failure: retry_once
    command: Read the wind over \${harbour}.
    outputs: { knots: { type: integer, minimum: 0, maximum: 80 } }
  - id: list_pilots
    command: Who is on duty in \${harbour}?
    outputs: { pilots: { type: array, items: { type: string } } }
  - id: ask_pilot
    for_each: list_pilots.outputs.pilots
    as: pilot
    command: Ask \${pilot} about the channel.
  - id: storm_warning
    condition: read_wind.outputs.knots > 40
    command: Warn all ships of \${read_wind.outputs.knots} knots.
  - id: report
    depends_on: [ask_pilot, storm_warning]
    command: Write the report. Tide \${read_tide.outputs.height_cm} cm, \${read_tide.outputs.trend}.
`;

export const DEMO_SCRIPT: Script = {
  seed: 7,
  default: "auto",
  nodes: new Map([
    ["read_tide", [{ delay_ms: 700, outputs: { height_cm: 312, trend: "rising" }, cost_usd: 0.0004 }]],
    [
      "read_wind",
      [
        { delay_ms: 300, fail: "provider_rate_limit" as const },
        { delay_ms: 500, outputs: { knots: 18 }, cost_usd: 0.0004 },
      ],
    ],
    ["list_pilots", [{ delay_ms: 400, outputs: { pilots: ["Ines", "Tarek", "Mo"] }, cost_usd: 0.0002 }]],
    ["ask_pilot", [{ delay_ms: 600, stdout: "The channel is clear.", cost_usd: 0.0003 }]],
    [
      "report",
      [
        {
          chunks: [
            "The tide ",
            "stands at 312 cm ",
            "and rises; ",
            "wind 18 knots. ",
            "All three pilots ",
            "report a clear channel.",
          ],
          chunk_ms: 180,
          cost_usd: 0.0021,
        },
      ],
    ],
  ]),
};
