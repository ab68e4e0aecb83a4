import { decodeCursor, listed } from "../cursor.ts";
import { type FileStore, type NewUpload, UNUSED_FILE_MS, type UploadRecord } from "../file-store.ts";
import { arrayLiteral, NOW_MS, type Sql } from "../sql.ts";
import { bigint, Columns, int, optional, parsed, text } from "./columns.ts";
import { lookUp } from "./look-up.ts";

export function sqlFiles(sql: Sql): FileStore {
  return {
    openUpload: (upload) => sql.transaction((within) => openUpload(within, upload)),
    getUpload: (orgId, uploadId) => readUpload(sql, orgId, uploadId),
    putPart: async (orgId, uploadId, { part, size, sha256, object }) => {
      const params = [orgId, uploadId, part, size, sha256, object];
      const [written] = await lookUp<{ replaced: string | null }>(sql, PUT_PART, params);
      return written === undefined ? undefined : { replaced: written.replaced };
    },
    completeUpload: (orgId, uploadId, { sha256, parts }) =>
      sql.transaction(async (within) => {
        const [upload] = await lookUp<LockedUpload>(within, LOCK_UPLOAD, [orgId, uploadId]);
        if (upload?.completed === sha256) return FILE.first(await within.query(GET, [orgId, sha256]));
        const own = (await readUpload(within, orgId, uploadId))?.parts.map(({ object }) => object);
        if (upload === undefined || upload.completed !== null || JSON.stringify(own) !== JSON.stringify(parts))
          return undefined;
        await within.query(KEEP_FILE, [orgId, uploadId, sha256, JSON.stringify(parts)]);
        const file = FILE.first(await within.query(GET, [orgId, sha256]));
        await within.query(COMPLETE, [orgId, uploadId, sha256]);
        if (file !== undefined && file.place !== upload.place) await within.query(ADD_GARBAGE, [orgId, upload.place]);
        return file;
      }),
    dropUpload: async (orgId, uploadId) => (await lookUp(sql, DROP_UPLOAD, [orgId, uploadId])).length > 0,
    getFile: async (orgId, sha256) => FILE.first(await lookUp(sql, GET, [orgId, sha256])),
    claimFiles: async (orgId, hashes) => {
      if (hashes.length === 0) return [];
      return FILE.all(await sql.query(CLAIM, [orgId, arrayLiteral([...new Set(hashes)])]));
    },
    listFiles: async (orgId, page) => {
      const { at = null, id = null } = decodeCursor(page.cursor) ?? {};
      const rows = await lookUp(sql, LIST, [orgId, at, id, page.limit + 1]);
      return listed(FILE.all(rows), page.limit, ({ createdAt, sha256 }) => ({ at: createdAt, id: sha256 }));
    },
    listRunFiles: async (orgId, runId) => REFERENCE.all(await lookUp(sql, LIST_OF_RUN, [orgId, runId])),
    sweepFiles: async (limit) => {
      await sql.query(SWEEP_REFERENCES, [limit]);
      const files = await sql.query(SWEEP_FILES, [UNUSED_FILE_MS, limit]);
      const uploads = await sql.query(SWEEP_UPLOADS, [UNUSED_FILE_MS, limit]);
      return files.length + uploads.length;
    },
    listFileGarbage: async (limit) =>
      (await sql.query<{ place: string }>(LIST_GARBAGE, [limit])).map(({ place }) => place),
    clearFileGarbage: async (places) => {
      await sql.query(CLEAR_GARBAGE, [arrayLiteral(places)]);
    },
  };
}

interface LockedUpload {
  readonly place: string;
  readonly completed: string | null;
}

async function openUpload(sql: Sql, upload: NewUpload): Promise<UploadRecord> {
  const { orgId, sha256, size, name, mime, createdBy } = upload;
  const open =
    sha256 === null ? [] : await sql.query<{ id: string }>(FIND_OPEN, [orgId, sha256, size, name, mime, createdBy]);
  const [same] = open;
  const found = same === undefined ? undefined : await readUpload(sql, orgId, same.id);
  if (found !== undefined) return found;
  await sql.query(INSERT_UPLOAD, UPLOAD.values({ ...upload, completed: null }));
  return { ...upload, parts: [], completed: null };
}

async function readUpload(sql: Sql, orgId: string, uploadId: string): Promise<UploadRecord | undefined> {
  const upload = UPLOAD.first(await lookUp(sql, GET_UPLOAD, [orgId, uploadId]));
  return upload === undefined ? undefined : { ...upload, parts: PART.all(await sql.query(LIST_PARTS, [uploadId])) };
}

const FILE = new Columns({
  orgId: text,
  sha256: text,
  size: bigint,
  name: text,
  mime: text,
  place: text,
  parts: parsed<readonly string[]>(),
  createdAt: bigint,
});
const UPLOAD = new Columns({
  id: text,
  orgId: text,
  name: text,
  mime: text,
  size: bigint,
  sha256: optional(text),
  place: text,
  createdBy: text,
  createdAt: bigint,
  completed: optional(text),
});
const PART = new Columns({ part: int, size: bigint, sha256: text, object: text });
const REFERENCE = new Columns({ name: text, mime: text, size: bigint, sha256: text });

const FIND_OPEN = {
  name: "find open file upload",
  text: `select id from file_uploads where org_id = $1 and sha256 = $2 and completed is null
    and size = $3 and name = $4 and mime = $5 and created_by = $6 order by created_at, id limit 1`,
};
const INSERT_UPLOAD = {
  name: "insert file upload",
  text: `insert into file_uploads (${UPLOAD.list()}) values (${UPLOAD.places}) on conflict (id) do nothing`,
};
const GET_UPLOAD = {
  name: "get file upload",
  text: `select ${UPLOAD.list()} from file_uploads where org_id = $1 and id = $2`,
};
const LOCK_UPLOAD = {
  name: "lock file upload",
  text: "select place, completed from file_uploads where org_id = $1 and id = $2 for update",
};
const LIST_PARTS = {
  name: "list parts of file upload",
  text: `select ${PART.list()} from file_upload_parts where upload_id = $1 order by part`,
};
/** Locks the upload, so that no part changes while it is made a file. */
const PUT_PART = {
  name: "put part of file upload",
  text: `with own as (
      select org_id, id from file_uploads where org_id = $1 and id = $2 and completed is null for update
    ), before as (
      select p.object from file_upload_parts p join own on own.id = p.upload_id where p.part = $3::int
    ), written as (
      insert into file_upload_parts (org_id, upload_id, part, size, sha256, object)
      select org_id, id, $3::int, $4::bigint, $5, $6 from own
      on conflict (upload_id, part)
      do update set size = excluded.size, sha256 = excluded.sha256, object = excluded.object
      returning part
    ) select (select object from before) as replaced from written`,
};
const KEEP_FILE = {
  name: "keep file",
  text: `insert into files (org_id, sha256, size, name, mime, place, parts, created_at, claimed_at)
    select org_id, $3, size, name, mime, place, $4, ${NOW_MS}, ${NOW_MS} from file_uploads where org_id = $1 and id = $2
    on conflict (org_id, sha256) do update set claimed_at = excluded.claimed_at`,
};
const COMPLETE = {
  name: "complete file upload",
  text: "update file_uploads set completed = $3 where org_id = $1 and id = $2",
};
const ADD_GARBAGE = {
  name: "add file garbage",
  text: `insert into file_garbage (org_id, place, at) values ($1, $2, ${NOW_MS}) on conflict do nothing`,
};
const DROP_UPLOAD = {
  name: "drop file upload",
  text: `with gone as (
      delete from file_uploads where org_id = $1 and id = $2 and completed is null returning org_id, id, place
    ), parts as (
      delete from file_upload_parts p using gone where p.upload_id = gone.id
    )
    insert into file_garbage (org_id, place, at)
    select org_id, place, ${NOW_MS} from gone on conflict do nothing returning place`,
};
const GET = {
  name: "get file",
  text: `select ${FILE.list()} from files where org_id = $1 and sha256 = $2`,
};
const CLAIM = {
  name: "claim files",
  text: `with claimed as (
      update files set claimed_at = ${NOW_MS} where (org_id, sha256) in (
        select f.org_id, f.sha256 from files f where f.org_id = $1 and f.sha256 = any($2::text[])
        order by f.sha256 for update)
      returning ${FILE.list()}
    ) select ${FILE.list()} from claimed order by sha256`,
};
const LIST = {
  name: "list files",
  text: `select ${FILE.list()} from files
    where org_id = $1 and ($2::bigint is null or (created_at, sha256) < ($2, $3))
    order by created_at desc, sha256 desc limit $4`,
};
const LIST_OF_RUN = {
  name: "list files of run",
  text: `select ${REFERENCE.list()} from file_references where org_id = $1 and run_id = $2 order by name, sha256`,
};
const SWEEP_REFERENCES = {
  name: "sweep file references",
  skipsMovingOrganisation: true,
  text: `delete from file_references g using (
      select f.org_id, f.sha256, f.run_id, f.name from file_references f
      where not exists (select from runs r where r.run_id = f.run_id) limit $1 for update skip locked) f
    where g.org_id = f.org_id and g.sha256 = f.sha256 and g.run_id = f.run_id and g.name = f.name`,
};
/** Skips rows locked by a claim. After the claim they are too young to be swept. */
const SWEEP_FILES = {
  name: "sweep files",
  skipsMovingOrganisation: true,
  text: `with gone as (
      delete from files g using (
        select f.org_id, f.sha256 from files f where f.claimed_at < ${NOW_MS} - $1::bigint
          and not exists (select from file_references r where r.org_id = f.org_id and r.sha256 = f.sha256)
        limit $2 for update skip locked) f
      where g.org_id = f.org_id and g.sha256 = f.sha256
      returning g.org_id, g.place
    )
    insert into file_garbage (org_id, place, at)
    select org_id, place, ${NOW_MS} from gone on conflict do nothing returning place`,
};
const SWEEP_UPLOADS = {
  name: "sweep file uploads",
  skipsMovingOrganisation: true,
  text: `with gone as (
      delete from file_uploads where id = any(array(
        select u.id from file_uploads u where u.created_at < ${NOW_MS} - $1::bigint limit $2 for update skip locked))
      returning org_id, id, place, completed
    ), parts as (
      delete from file_upload_parts p using gone where p.upload_id = gone.id
    ), dropped as (
      insert into file_garbage (org_id, place, at) select org_id, place, ${NOW_MS} from gone where completed is null
      on conflict do nothing
    ) select id from gone`,
};
const LIST_GARBAGE = {
  name: "list file garbage",
  text: "select place from file_garbage order by place limit $1",
};
const CLEAR_GARBAGE = {
  name: "clear file garbage",
  skipsMovingOrganisation: true,
  text: "delete from file_garbage where place = any($1::text[])",
};
