import { decodeCursor, encodeCursor } from "../cursor.ts";
import type { NewVerdict, RunVerdict, StoredVerdict } from "../governance-store.ts";
import type { Sql } from "../sql.ts";
import { BadCursor } from "../store-error.ts";
import type { Listed, Page } from "../store.ts";
import { lookUp } from "./look-up.ts";
import { expandVerdicts } from "./verdict-part-rows.ts";

/** Returns the verdicts of one commit as one text. */
export function verdictsText(verdicts: readonly NewVerdict[]): string {
  // Built by concatenation instead of join: the whole batch is joined once later, and these texts are copied only then.
  let text = "";
  for (const verdict of verdicts) text += `${text === "" ? "[" : ","}${verdictText(verdict)}`;
  return `${text}]`;
}

function verdictText({ verdictId, nodeId, attempt, at, disposition, gate, code, bodyText }: NewVerdict): string {
  const head = JSON.stringify({ verdictId, nodeId, attempt, at, disposition, gate, code });
  return `${head.slice(0, -1)},"body":${bodyText}}`;
}

const VERDICTS_OF = {
  name: "verdicts of a run",
  text: "select body from verdict_blocks where org_id = $1 and run_id = $2 order by first_event_id",
};

export async function verdictsOf(sql: Sql, orgId: string, runId: string): Promise<readonly StoredVerdict[]> {
  const rows = await lookUp<{ body: string }>(sql, VERDICTS_OF, [orgId, runId]);
  return expandVerdicts(
    sql,
    orgId,
    rows.flatMap(({ body }) => JSON.parse(body) as StoredVerdict[]),
  );
}

/** Begins with the block in which the last page ended, because it may have more verdicts. */
const LIST = {
  name: "list verdicts",
  text: `select run_id, first_event_id, at, body from verdict_blocks
    where org_id = $1 and at >= $2 and ($3::bigint is null or (at, run_id, first_event_id) <= ($3, $4, $5::int))
    order by at desc, run_id desc, first_event_id desc limit $6`,
};

interface Block {
  readonly run_id: string;
  readonly first_event_id: number;
  readonly at: number;
  readonly body: string;
}

/** A block, and the number of its verdicts, counted from its end, that were already returned. */
interface Place {
  readonly at: number;
  readonly runId: string;
  readonly firstEventId: number;
  readonly given: number;
}

/** Every block has a verdict, so `limit` blocks are enough, plus the block of the last page and one to detect a next page. */
export async function listVerdicts(sql: Sql, orgId: string, since: number, page: Page): Promise<Listed<RunVerdict>> {
  const after = placeOf(page.cursor);
  const from = after === null ? [null, null, null] : [after.at, after.runId, after.firstEventId];
  const blocks = await sql.query<Block>(LIST, [orgId, since, ...from, page.limit + 2]);
  const data: RunVerdict[] = [];
  for (const { run_id: runId, first_event_id: firstEventId, at, body } of blocks) {
    const isSame = after?.runId === runId && after.firstEventId === firstEventId;
    const verdicts = (JSON.parse(body) as StoredVerdict[]).reverse();
    for (let given = isSame ? after.given : 0; given < verdicts.length; given += 1) {
      const verdict = verdicts[given];
      if (data.length === page.limit) {
        const nextCursor = cursorAt({ at, runId, firstEventId, given });
        return { data: await expandVerdicts(sql, orgId, data), nextCursor };
      }
      if (verdict !== undefined) data.push({ ...verdict, runId });
    }
  }
  return { data: await expandVerdicts(sql, orgId, data), nextCursor: null };
}

function cursorAt({ at, runId, firstEventId, given }: Place): string {
  return encodeCursor({ at, id: `${firstEventId}/${given}/${runId}` });
}

function placeOf(cursor: string | null): Place | null {
  const position = decodeCursor(cursor);
  if (position === null) return null;
  const [, firstEventId, given, runId] = /^(\d{1,9})\/(\d{1,9})\/(.+)$/s.exec(position.id) ?? [];
  if (runId === undefined) throw new BadCursor();
  return { at: position.at, runId, firstEventId: Number(firstEventId), given: Number(given) };
}
