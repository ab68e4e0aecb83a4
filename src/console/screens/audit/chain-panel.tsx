import type { JSX } from "react";
import { grouped } from "../../parts/figures.ts";
import { Icon } from "../../parts/icon.tsx";
import type { ChainState } from "../../../client/index.ts";

function counted(count: number, word: string): string {
  return `${grouped(count)} ${word}${count === 1 ? "" : "s"}`;
}

/** Shows whether the audit chain is intact, up to which record, and which key signed it. */
export function ChainPanel({ chain }: { readonly chain: ChainState }): JSX.Element {
  const { ok, records, checkpoints, lastSeq, checkpointSeq, key, firstBad } = chain;
  return (
    <section className={`audit-chain ${ok ? "is-ok" : "is-bad"}`} aria-label="State of the chain" role="status">
      <Icon name={ok ? "approval" : "warn"} size={20} className={ok ? "text-ok" : "text-bad"} />
      <div>
        <p>
          <strong>
            {ok ? `Verified up to record ${grouped(lastSeq)}` : `Broken at record ${grouped(firstBad?.seq ?? 0)}`}
          </strong>
        </p>
        {firstBad !== undefined && <p>{firstBad.reason}</p>}
        <p className="muted">
          {counted(records, "record")}, {counted(checkpoints, "signed checkpoint")}
          {checkpoints > 0 && `, signed up to record ${grouped(checkpointSeq)}`}.
          {key !== null && (
            <>
              {" "}
              Key <code className="audit-hash">{key}</code>
            </>
          )}
        </p>
      </div>
    </section>
  );
}
