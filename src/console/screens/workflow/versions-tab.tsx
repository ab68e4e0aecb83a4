import { type JSX, useMemo } from "react";
import { useSearchParams } from "../../page/router.tsx";
import { api } from "../../live/api.ts";
import { useQuery } from "../../live/use-query.ts";
import { Button } from "../../parts/button.tsx";
import { Panel } from "../../parts/panel.tsx";
import { ProblemView } from "../../parts/problem-view.tsx";
import { Skeleton } from "../../parts/skeleton.tsx";
import { TimeText } from "../../parts/time-text.tsx";
import { DiffView } from "../../parts/diff-view.tsx";
import { diffLines, hunksOf } from "../../../core/text/index.ts";
import { VersionSelect } from "./version-select.tsx";

interface VersionsTabProps {
  readonly name: string;
  readonly latest: number;
  /** Loads the text of a version into the editor. */
  readonly onTake: (source: string) => void;
}

/** Compares two versions side by side. The compared versions are stored in the address. */
export function VersionsTab({ name, latest, onTake }: VersionsTabProps): JSX.Element {
  const { get, set } = useSearchParams();
  const after = chosen(get("after"), latest, latest);
  const before = chosen(get("before"), latest, Math.max(1, after - 1));
  const left = useVersion(name, before);
  const right = useVersion(name, after);
  const lines = useMemo(
    () => (left.data === undefined || right.data === undefined ? null : diffLines(left.data.source, right.data.source)),
    [left.data, right.data],
  );
  const problem = left.problem ?? right.problem;
  const added = lines?.filter(({ kind }) => kind === "added").length ?? 0;
  const removed = lines?.filter(({ kind }) => kind === "removed").length ?? 0;
  return (
    <div className="stack">
      <div className="row workflow-versions-pick">
        <VersionSelect
          label="From version"
          value={before}
          latest={latest}
          onChange={(value) => set({ before: value })}
        />
        <VersionSelect label="To version" value={after} latest={latest} onChange={(value) => set({ after: value })} />
        {right.data !== undefined && (
          <span className="muted">
            version {after} saved <TimeText at={right.data.savedAt} />,{" "}
            <code title={right.data.hash}>{right.data.hash.slice(0, 18)}…</code>
          </span>
        )}
      </div>
      {problem !== null && <ProblemView problem={problem} />}
      {lines === null && problem === null && <Skeleton lines={10} />}
      {lines !== null && (
        <Panel
          isFlush
          title={added + removed === 0 ? "No difference" : `${added} added, ${removed} removed`}
          actions={
            <Button size="small" icon="redo" onClick={() => onTake(right.data?.source ?? "")}>
              Edit version {after}
            </Button>
          }
        >
          {added + removed === 0 ? (
            <DiffView hunks={[{ kind: "lines", lines }]} />
          ) : (
            <DiffView hunks={hunksOf(lines)} />
          )}
        </Panel>
      )}
    </div>
  );
}

function useVersion(name: string, version: number) {
  return useQuery(`version:${name}:${version}`, () => api.getVersion(name, version), { freshMs: 600_000 });
}

function chosen(written: string | null, latest: number, otherwise: number): number {
  const number = Number(written ?? otherwise);
  return Number.isInteger(number) && number >= 1 && number <= latest ? number : otherwise;
}
