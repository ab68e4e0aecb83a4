/** Every kind of block, one in another. */
export const NESTED = `name: nested
steps:
  - id: prepare
    steps:
      - { id: look, command: Look }
      - id: deep
        depends_on: [look]
        steps: [{ id: dig, command: Dig }]
  - id: cycle
    depends_on: [prepare]
    repeat: { until: "round >= 1", max: 3 }
    steps: [{ id: draft, command: Draft }]
  - { id: each, for_each: [1, 2], depends_on: [cycle], steps: [{ id: one, command: One }] }
finally:
  - { id: report, command: Report }
`;
