import { type JSX, useState } from "react";
import type { NodeVerdict } from "../../../../client/index.ts";
import { api } from "../../../live/api.ts";
import { useQuery } from "../../../live/use-query.ts";
import { factOf } from "../../../parts/fact-text.ts";
import { Icon, type IconName } from "../../../parts/icon.tsx";
import { Select } from "../../../parts/select.tsx";
import { StatusBadge } from "../../../parts/status.tsx";
import { TimeText } from "../../../parts/time-text.tsx";
import { GATE_QUESTIONS } from "../../../parts/gate-questions.ts";
import { type CellOutcome, type GateCell, gateCells, isOpaqueTurn } from "../../../run/model/gate-strip.ts";
import { useRunPage } from "../run-page.ts";
import type { DetailedNode } from "../../../run/model/node-detail.ts";
import { Section } from "./section.tsx";

const LOOKS: Readonly<Record<CellOutcome, { readonly icon: IconName; readonly label: string; readonly tone: string }>> =
  {
    pass: { icon: "check", label: "passed", tone: "ok" },
    warn: { icon: "warn", label: "passed with a warning", tone: "warn" },
    block: { icon: "cross", label: "blocked", tone: "bad" },
    hold: { icon: "pause", label: "held", tone: "hold" },
    not_evaluated: { icon: "dot", label: "not asked", tone: "idle" },
  };

/** The verdicts of the gates: a cell per gate, the reason for the decision, and how the node can pass. */
export function Gates({
  nodeId,
  detail,
}: {
  readonly nodeId: string;
  readonly detail: DetailedNode | undefined;
}): JSX.Element | null {
  const { run } = useRunPage();
  const wanted = (detail?.verdicts ?? []).flatMap(({ verdictId }) => (verdictId === null ? [] : [verdictId]));
  const found = useQuery(wanted.length === 0 ? null : `verdicts ${run.id} ${nodeId} ${wanted.join(" ")}`, () =>
    verdictsOf(run.id, nodeId),
  );
  const [chosen, setChosen] = useState<string | null>(null);
  if (detail === undefined || detail.verdicts.length === 0) return null;
  const verdicts = (found.data ?? []).filter(({ verdictId }) => wanted.includes(verdictId));
  const verdict = verdicts.find(({ verdictId }) => verdictId === chosen) ?? verdicts.at(-1);
  return (
    <Section
      title="Gates"
      aside={
        verdicts.length > 1 && (
          <Select
            aria-label="Verdict"
            value={verdict?.verdictId ?? ""}
            options={verdicts.map((each, index) => [each.verdictId, verdictText(each, index)] as const)}
            onChange={setChosen}
          />
        )
      }
    >
      {verdict !== undefined && <Verdict verdict={verdict} />}
    </Section>
  );
}

function Verdict({ verdict }: { readonly verdict: NodeVerdict }): JSX.Element {
  const cells = gateCells(verdict);
  const [looked, setLooked] = useState<string | null>(null);
  const cell = cells.find(({ gate }) => gate === looked) ?? cells.find(({ isDecisive }) => isDecisive);
  return (
    <>
      <p className="row">
        <StatusBadge status={verdict.disposition} /> <TimeText at={verdict.at} />
        {verdict.policies.length > 0 && <span className="muted">{verdict.policies.join(", ")}</span>}
      </p>
      {isOpaqueTurn(verdict) && (
        <p className="muted">
          What happens inside is not seen: this adapter reports no tool calls, so no gate judges them.
        </p>
      )}
      <div className="gate-strip" role="group" aria-label="Gates in the order they were asked">
        {cells.map((each) => (
          <Cell key={each.gate} cell={each} isLooked={each.gate === cell?.gate} onLook={() => setLooked(each.gate)} />
        ))}
      </div>
      {cell !== undefined && (
        <p>
          <strong>{cell.gate.replaceAll("_", " ")}</strong> {LOOKS[cell.outcome].label}.{" "}
          <span className="muted">{GATE_QUESTIONS[cell.gate] ?? ""}</span> {cell.detail ?? ""}
        </p>
      )}
      {verdict.explanation !== null && (
        <div className="explanation">
          <p>
            {verdict.explanation.message} <code>{verdict.explanation.code}</code>
          </p>
          <dl className="pairs">
            {Object.entries(verdict.explanation.facts)
              .map(([key, value]) => factOf(key, value))
              .map(({ name, text }) => (
                <div key={name}>
                  <dt>{name}</dt>
                  <dd>{text}</dd>
                </div>
              ))}
          </dl>
          {verdict.explanation.unblock.length > 0 && (
            <>
              <h4>What would let it through</h4>
              <ul>
                {verdict.explanation.unblock.map(({ action, target, detail }) => (
                  <li key={`${action} ${target}`}>
                    {detail} <code className="muted">{`${action} ${target}`}</code>
                  </li>
                ))}
              </ul>
            </>
          )}
        </div>
      )}
    </>
  );
}

function verdictText({ disposition, gate }: NodeVerdict, index: number): string {
  return `${index + 1}. ${disposition}${gate === null ? "" : ` at ${gate}`}`;
}

interface CellProps {
  readonly cell: GateCell;
  readonly isLooked: boolean;
  readonly onLook: () => void;
}

function Cell({ cell, isLooked, onLook }: CellProps): JSX.Element {
  const look = LOOKS[cell.outcome];
  const words = `${cell.gate.replaceAll("_", " ")}: ${look.label}`;
  return (
    <button
      type="button"
      className={`gate-cell tone-${look.tone} ${cell.isDecisive ? "is-decisive" : ""}`}
      aria-pressed={isLooked}
      aria-label={words}
      title={cell.detail === null ? words : `${words}. ${cell.detail}`}
      onClick={onLook}
    >
      <Icon name={look.icon} size={13} />
    </button>
  );
}

const PAGE = 100;

async function verdictsOf(runId: string, node: string): Promise<readonly NodeVerdict[]> {
  const found: NodeVerdict[] = [];
  let cursor: string | undefined;
  do {
    const page = await api.listVerdicts(runId, { node, limit: PAGE, ...(cursor === undefined ? {} : { cursor }) });
    found.push(...page.data);
    cursor = page.nextCursor;
  } while (cursor !== undefined);
  return found;
}
