import { type JSX, type KeyboardEvent, useMemo, useRef, useState } from "react";
import { Icon } from "./icon.tsx";
import { classOf, type Column, TableRow } from "./table-row.tsx";
import { useVisibleRows } from "./visible-rows.ts";
import "./table.css";

export type { Column } from "./table-row.tsx";

export interface TableProps<T> {
  /** Description of the rows for screen readers. */
  readonly label: string;
  readonly columns: readonly Column<T>[];
  readonly rows: readonly T[];
  readonly keyOf: (row: T) => string;
  /** Called for Enter or a click on a row. */
  readonly onOpen?: (row: T) => void;
  /** Keys of the chosen rows. When set, each row has a checkbox. */
  readonly chosen?: ReadonlySet<string>;
  readonly onChoose?: (chosen: ReadonlySet<string>) => void;
  readonly current?: string | null;
  /** Height of a row. Default: one line. */
  readonly rowPx?: number;
}

const ROW_PX = 37;

interface Sorting {
  readonly id: string;
  readonly isDown: boolean;
}

/** A table whose rows can be sorted, selected with the arrow keys and opened. Of very many rows, only the visible ones are drawn. */
export function Table<T>(props: TableProps<T>): JSX.Element {
  const { label, columns, rows, keyOf, chosen, onChoose, onOpen, current, rowPx = ROW_PX } = props;
  const newest = useRef(props);
  newest.current = props;
  const [sorting, setSorting] = useState<Sorting | null>(null);
  const sorted = useMemo(() => sortRows(rows, columns, sorting), [rows, columns, sorting]);
  const box = useRef<HTMLDivElement>(null);
  const { from, to, before, after } = useVisibleRows(box, sorted.length, rowPx);
  const isAllChosen = rows.length > 0 && rows.every((row) => chosen?.has(keyOf(row)));
  const hasBoxes = chosen !== undefined && onChoose !== undefined;
  return (
    <div className="table-box" ref={box} tabIndex={-1}>
      <table className="table" aria-label={label} aria-rowcount={sorted.length}>
        <thead>
          <tr>
            {hasBoxes && (
              <th scope="col" className="table-choice">
                <input
                  type="checkbox"
                  aria-label="Select all"
                  checked={isAllChosen}
                  onChange={() => onChoose(isAllChosen ? new Set() : new Set(rows.map(keyOf)))}
                />
              </th>
            )}
            {columns.map((column) => (
              <Head key={column.id} column={column} sorting={sorting} onSort={setSorting} />
            ))}
          </tr>
        </thead>
        <tbody onKeyDown={walk}>
          {before > 0 && <tr aria-hidden="true" style={{ height: before }} />}
          {sorted.slice(from, to).map((row) => (
            <TableRow
              key={keyOf(row)}
              row={row}
              columns={columns}
              isChosen={hasBoxes ? chosen.has(keyOf(row)) : null}
              isCurrent={current === keyOf(row)}
              isOpenable={onOpen !== undefined}
              table={newest}
            />
          ))}
          {after > 0 && <tr aria-hidden="true" style={{ height: after }} />}
        </tbody>
      </table>
    </div>
  );
}

function Head<T>({
  column,
  sorting,
  onSort,
}: {
  readonly column: Column<T>;
  readonly sorting: Sorting | null;
  readonly onSort: (sorting: Sorting | null) => void;
}): JSX.Element {
  const { id, head, sortBy } = column;
  const isSorted = sorting?.id === id;
  const order = !isSorted ? "none" : sorting.isDown ? "descending" : "ascending";
  const next = !isSorted ? { id, isDown: false } : sorting.isDown ? null : { id, isDown: true };
  return (
    <th scope="col" className={classOf(column)} {...(sortBy === undefined ? {} : { "aria-sort": order })}>
      {sortBy === undefined ? (
        head
      ) : (
        <button type="button" className="table-sort" onClick={() => onSort(next)}>
          {head}
          {isSorted && <Icon name={sorting.isDown ? "down" : "up"} size={12} />}
        </button>
      )}
    </th>
  );
}

/** Arrow keys and j/k move the focus between rows. */
function walk(event: KeyboardEvent<HTMLElement>): void {
  const target = event.target as HTMLElement;
  if (target.tagName !== "TR") return;
  const step = { ArrowDown: 1, j: 1, ArrowUp: -1, k: -1 }[event.key] ?? 0;
  const next = step > 0 ? target.nextElementSibling : step < 0 ? target.previousElementSibling : null;
  if (!(next instanceof HTMLElement) || next.dataset["key"] === undefined) return;
  event.preventDefault();
  event.stopPropagation();
  next.focus();
}

/** Sorts rows. Empty values come last in both directions. */
export function sortRows<T>(rows: readonly T[], columns: readonly Column<T>[], sorting: Sorting | null): readonly T[] {
  const sortBy = columns.find(({ id }) => id === sorting?.id)?.sortBy;
  if (sorting === null || sortBy === undefined) return rows;
  const sign = sorting.isDown ? -1 : 1;
  return rows.toSorted((left, right) => {
    const [a, b] = [sortBy(left), sortBy(right)];
    if (a === null || b === null) return Number(a === null) - Number(b === null);
    return (a < b ? -1 : a > b ? 1 : 0) * sign;
  });
}
