import { Money } from "./money.tsx";
import type { Column } from "./table.tsx";

/** What a row cost, the same in every table that is read for money. */
export const COST_COLUMN: Column<{ readonly costMicros: number | null }> = {
  id: "cost",
  head: "Cost",
  isNumber: true,
  isWide: true,
  cell: ({ costMicros }) => <Money micros={costMicros} />,
  sortBy: ({ costMicros }) => costMicros,
};
