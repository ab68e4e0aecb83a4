import { Money } from "./money.tsx";
import type { Column } from "./table.tsx";

/** The cost column, the same in every table that shows costs. */
export const COST_COLUMN: Column<{ readonly costMicros: number | null }> = {
  id: "cost",
  head: "Cost",
  isNumber: true,
  isWide: true,
  cell: ({ costMicros }) => <Money micros={costMicros} />,
  sortBy: ({ costMicros }) => costMicros,
};
