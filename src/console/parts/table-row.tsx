import { type JSX, memo, type ReactNode, type RefObject } from "react";

export interface Column<T> {
  readonly id: string;
  readonly head: string;
  readonly cell: (row: T) => ReactNode;
  /** Sort key of a row. Makes the column sortable. */
  readonly sortBy?: (row: T) => string | number | null;
  readonly isNumber?: boolean;
  /** Hidden on narrow screens. */
  readonly isWide?: boolean;
}

/** Parts of the table that a row uses. They are read only when a person acts, so a change of them does not draw rows again. */
interface TableOfRow<T> {
  readonly keyOf: (row: T) => string;
  readonly onOpen?: (row: T) => void;
  readonly chosen?: ReadonlySet<string>;
  readonly onChoose?: (chosen: ReadonlySet<string>) => void;
}

interface TableRowProps<T> {
  /** Must be a new object when its content has changed. */
  readonly row: T;
  readonly columns: readonly Column<T>[];
  /** Null when rows of the table cannot be chosen. */
  readonly isChosen: boolean | null;
  readonly isCurrent: boolean;
  readonly isOpenable: boolean;
  readonly table: RefObject<TableOfRow<T>>;
}

/** A row that is drawn again only when its data, its marks or the columns change. */
export const TableRow = memo(RowOfTable) as typeof RowOfTable;

function RowOfTable<T>({ row, columns, isChosen, isCurrent, isOpenable, table }: TableRowProps<T>): JSX.Element {
  const key = table.current.keyOf(row);
  const choose = (): void => {
    const next = new Set(table.current.chosen);
    if (!next.delete(key)) next.add(key);
    table.current.onChoose?.(next);
  };
  return (
    <tr
      tabIndex={isOpenable ? 0 : -1}
      data-key={key}
      aria-current={isCurrent || undefined}
      className={isOpenable ? "is-openable" : ""}
      onClick={(event) => {
        if (!(event.target as HTMLElement).closest("a, button, input, label")) table.current.onOpen?.(row);
      }}
      onKeyDown={(event) => {
        if (event.target !== event.currentTarget) return;
        if (event.key === "Enter") table.current.onOpen?.(row);
        if (event.key === " " && isChosen !== null) {
          event.preventDefault();
          choose();
        }
      }}
    >
      {isChosen !== null && (
        <td className="table-choice">
          <input type="checkbox" aria-label={`Select ${key}`} checked={isChosen} onChange={choose} />
        </td>
      )}
      {columns.map((column) => (
        <td key={column.id} className={classOf(column)}>
          {column.cell(row)}
        </td>
      ))}
    </tr>
  );
}

export function classOf({ isNumber = false, isWide = false }: Pick<Column<never>, "isNumber" | "isWide">): string {
  return `${isNumber ? "num table-number" : ""} ${isWide ? "table-wide" : ""}`;
}
