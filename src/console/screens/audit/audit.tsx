import { type JSX, useEffect, useState } from "react";
import type { AuditFilter, AuditRow, ChainState } from "../../../client/index.ts";
import { AUDIT_CATEGORIES, AUDIT_TYPES, CATEGORY_OF } from "../../../core/audit/index.ts";
import { useSearchParams } from "../../page/router.tsx";
import { api, downloadAddress } from "../../live/api.ts";
import { useMay } from "../../live/session-store.ts";
import { useQuery } from "../../live/use-query.ts";
import { useAction } from "../../page/use-action.ts";
import { Button } from "../../parts/button.tsx";
import { Empty } from "../../parts/empty.tsx";
import { Field } from "../../parts/field.tsx";
import { PageHead } from "../../parts/page-head.tsx";
import { Panel } from "../../parts/panel.tsx";
import { ProblemView } from "../../parts/problem-view.tsx";
import { Select } from "../../parts/select.tsx";
import { Skeleton } from "../../parts/skeleton.tsx";
import { ChainPanel } from "./chain-panel.tsx";
import { AuditTimeline } from "./audit-timeline.tsx";
import "./audit.css";

const ALL = ["", "All"] as const;

export function AuditScreen(): JSX.Element {
  const isAllowed = useMay("audit:read");
  const [chain, setChain] = useState<ChainState | null>(null);
  const verifying = useAction(async () => setChain(await api.verifyAudit()));
  // The chain is verified once when the page is opened, and then on demand.
  useEffect(() => {
    if (isAllowed) void verifying.run();
  }, [isAllowed]);
  if (!isAllowed) {
    return (
      <>
        <PageHead title="Audit" />
        <Empty icon="audit" title="You may not read the audit log">
          Ask for the permission audit:read.
        </Empty>
      </>
    );
  }
  return (
    <>
      <PageHead
        title="Audit"
        subtitle="Who did what, and what became of it: chained, signed, verifiable by anyone."
        actions={
          <>
            <a
              className="button button-plain button-normal"
              href={downloadAddress("/audit/export")}
              download="audit.ndjson"
            >
              Export
            </a>
            <Button kind="primary" icon="approval" isBusy={verifying.isBusy} onClick={() => void verifying.run()}>
              Verify
            </Button>
          </>
        }
      />
      <div className="stack">
        {verifying.problem !== null && <ProblemView problem={verifying.problem} />}
        {chain === null ? (
          verifying.problem === null && <Skeleton lines={2} height={24} />
        ) : (
          <ChainPanel chain={chain} />
        )}
        <Records />
      </div>
    </>
  );
}

function Records(): JSX.Element {
  const { get, set } = useSearchParams();
  const filter = { type: get("type") ?? "", category: get("category") ?? "", run: get("run") ?? "" };
  const asked = askedFor(filter);
  const key = JSON.stringify(filter);
  const first = useQuery(`audit:${key}`, () => api.listAudit(asked), {
    tags: ["runs", "approvals"],
    everyMs: 15_000,
  });
  const [older, setOlder] = useState<{
    readonly key: string;
    readonly rows: readonly AuditRow[];
    readonly cursor: string | null;
  } | null>(null);
  const own = older?.key === key ? older : null;
  const cursor = own === null ? (first.data?.nextCursor ?? null) : own.cursor;
  const more = useAction(async () => {
    const page = await api.listAudit({ ...asked, ...(cursor === null ? {} : { cursor }) });
    setOlder({ key, rows: [...(own?.rows ?? []), ...page.data], cursor: page.nextCursor ?? null });
  });
  const rows = uniqueRows([...(first.data?.data ?? []), ...(own?.rows ?? [])]);
  const types =
    filter.category === "" ? AUDIT_TYPES : AUDIT_TYPES.filter((type) => CATEGORY_OF[type] === filter.category);
  return (
    <Panel title="Records" isFlush>
      <div className="audit-filters" role="group" aria-label="Filters">
        <Field label="Category">
          <Select
            value={filter.category}
            options={[ALL, ...AUDIT_CATEGORIES]}
            onChange={(category) => set({ category, type: null })}
          />
        </Field>
        <Field label="Type">
          <Select value={filter.type} options={[ALL, ...types]} onChange={(type) => set({ type })} />
        </Field>
        <Field label="Run">
          <input value={filter.run} placeholder="run_…" onChange={(event) => set({ run: event.target.value.trim() })} />
        </Field>
      </div>
      {first.data === undefined && first.problem === null && <Skeleton lines={8} height={24} />}
      {first.problem !== null && <ProblemView problem={first.problem} />}
      {first.data !== undefined && rows.length === 0 && (
        <Empty icon="audit" title="No records like these">
          Remove a filter, or start a run.
        </Empty>
      )}
      {rows.length > 0 && <AuditTimeline rows={rows} />}
      {cursor !== null && rows.length > 0 && (
        <p className="audit-more">
          <Button isBusy={more.isBusy} onClick={() => void more.run()}>
            Older records
          </Button>
        </p>
      )}
      {more.problem !== null && <ProblemView problem={more.problem} />}
    </Panel>
  );
}

const PAGE = 50;

/** Reads the filter from the address. A type or category that does not exist is ignored. */
function askedFor({ type, category, run }: Readonly<Record<"type" | "category" | "run", string>>): AuditFilter {
  const knownType = AUDIT_TYPES.find((each) => each === type);
  const knownCategory = AUDIT_CATEGORIES.find((each) => each === category);
  return {
    limit: PAGE,
    ...(knownType === undefined ? {} : { type: knownType }),
    ...(knownCategory === undefined ? {} : { category: knownCategory }),
    ...(run === "" ? {} : { run }),
  };
}

/** Removes duplicates: new records move old ones from the first page to the next, so both pages may contain them. */
function uniqueRows(rows: readonly AuditRow[]): readonly AuditRow[] {
  return [...new Map(rows.map((row) => [row.seq, row])).values()].sort((left, right) => right.seq - left.seq);
}
