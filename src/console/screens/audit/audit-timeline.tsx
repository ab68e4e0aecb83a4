import type { JSX } from "react";
import type { AuditCategory } from "../../../core/audit/index.ts";
import { downloadAddress } from "../../live/api.ts";
import { Link } from "../../page/router.tsx";
import { shortId } from "../../parts/short-id.ts";
import { Badge, type Tone } from "../../parts/status.tsx";
import { TimeText } from "../../parts/time-text.tsx";
import type { AuditRow } from "../../../client/index.ts";

const TONES: Readonly<Record<AuditCategory, Tone>> = {
  governance: "hold",
  execution: "info",
  lifecycle: "ok",
  security: "warn",
  configuration: "idle",
  routing: "idle",
};

/** Audit records, newest first. Each record opens to show its details and its place in the chain. */
export function AuditTimeline({ rows }: { readonly rows: readonly AuditRow[] }): JSX.Element {
  return (
    <ol className="audit-timeline" aria-label="Audit records">
      {rows.map((row) => (
        <li key={row.seq}>
          <details>
            <summary>
              <span className="num muted audit-seq">{row.seq}</span>
              <span className="audit-time">
                <TimeText at={row.at} />
              </span>
              <Badge tone={TONES[row.category]}>{row.type}</Badge>
              <span className="audit-what cut">{resourceText(row)}</span>
              <span className="muted cut audit-actor" title={row.actor}>
                {shortActor(row.actor)}
              </span>
            </summary>
            <Detail row={row} />
          </details>
        </li>
      ))}
    </ol>
  );
}

const shortActor = (actor: string): string => (actor.startsWith("key_") ? shortId(actor) : actor);

/** Describes the resource of a record, with its run, because nodes usually have the same names in every run. */
function resourceText({ resource, run, node }: AuditRow): string {
  const isRun = run !== undefined && resource.endsWith(run);
  return [
    resource.replace(/\/(run_\w+|ses_\w+|key_\w+)$/, (_, id: string) => `/${shortId(id)}`),
    ...(node === undefined || resource.endsWith(`/${node}`) ? [] : [node]),
    ...(run === undefined || isRun ? [] : [shortId(run)]),
  ].join(" · ");
}

function Detail({ row }: { readonly row: AuditRow }): JSX.Element {
  const { run, node, detail, hash, prevHash } = row;
  const target = node === undefined ? `/runs/${run ?? ""}` : `/runs/${run ?? ""}?node=${encodeURIComponent(node)}`;
  return (
    <div className="audit-detail">
      {run !== undefined && (
        <p className="row">
          <Link to={target} className="mono">
            {run}
          </Link>
          <a href={downloadAddress(`/runs/${encodeURIComponent(run)}/packet`)} download={`${run}.json`}>
            Packet of the run
          </a>
        </p>
      )}
      <pre tabIndex={0} role="region" aria-label={`Detail of record ${row.seq}`}>
        {JSON.stringify(detail, null, 2)}
      </pre>
      <p className="muted">
        Hash <code className="audit-hash">{hash}</code> after <code className="audit-hash">{prevHash}</code>
      </p>
    </div>
  );
}
