import { type JSX, useEffect, useState } from "react";
import type { JsonObject } from "../../../core/base/index.ts";
import { api } from "../../live/api.ts";
import { grouped } from "../../parts/figures.ts";

const PAUSE_MS = 600;
const SINCE = "7d";

interface Count {
  readonly looked: number;
  readonly matched: number;
  readonly changed: number;
}

/** Shows how many verdicts of the last week a condition would have matched. Counted shortly after the person stops typing. */
export function BacktestCount({ spec }: { readonly spec: JsonObject }): JSX.Element | null {
  const count = useCount(JSON.stringify(spec));
  if (count === null) return null;
  const { looked, matched, changed } = count;
  return (
    <p className="governance-count" role="status">
      {looked === 0 ? (
        "No verdicts of the last 7 days to compare with yet."
      ) : (
        <>
          Would have matched <strong className="num">{grouped(matched)}</strong> of{" "}
          <span className="num">{grouped(looked)}</span> verdicts of the last 7 days, and changed{" "}
          <strong className="num">{grouped(changed)}</strong>.
        </>
      )}
    </p>
  );
}

function useCount(written: string): Count | null {
  const [count, setCount] = useState<Count | null>(null);
  useEffect(() => {
    let isCurrent = true;
    const timer = setTimeout(() => {
      const spec = JSON.parse(written) as JsonObject;
      api.backtestPolicy({ kind: "Policy", name: "draft", spec }, SINCE).then(
        (report) => isCurrent && setCount(report),
        // The problem is shown at the field.
        () => isCurrent && setCount(null),
      );
    }, PAUSE_MS);
    return () => {
      isCurrent = false;
      clearTimeout(timer);
    };
  }, [written]);
  return count;
}
