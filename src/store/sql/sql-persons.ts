import type { PersonStore } from "../person-store.ts";
import { NOW_MS, type Sql } from "../sql.ts";
import { bigint, boolean, Columns, optional, text } from "./columns.ts";
import { lookUp } from "./look-up.ts";

export function sqlPersons(sql: Sql): PersonStore {
  return {
    keepPerson: async ({ id, issuer, subject, email, name }) =>
      PERSON.read((await sql.query(KEEP, [id, issuer, subject, email, name]))[0] ?? {}),
    getPerson: async (personId) => PERSON.first(await lookUp(sql, GET, [personId])),
    listPersonsOfSubject: async (subject) => PERSON.all(await lookUp(sql, OF_SUBJECT, [subject])),
    setPersonDisabled: async (personId, isDisabled) =>
      (await lookUp(sql, SET_DISABLED, [personId, isDisabled])).length > 0,
  };
}

const PERSON = new Columns({
  id: text,
  issuer: text,
  subject: text,
  email: optional(text),
  name: text,
  isDisabled: boolean,
  createdAt: bigint,
});

const KEEP = {
  name: "keep person",
  text: `insert into persons (${PERSON.list()}) values ($1, $2, $3, $4, $5, false, ${NOW_MS})
    on conflict (issuer, subject) do update set email = excluded.email, name = excluded.name returning ${PERSON.list()}`,
};
const GET = { name: "get person", text: `select ${PERSON.list()} from persons where id = $1` };
const OF_SUBJECT = {
  name: "list persons of a subject",
  text: `select ${PERSON.list()} from persons where subject = $1 order by issuer`,
};
const SET_DISABLED = {
  name: "set person disabled",
  text: "update persons set is_disabled = $2 where id = $1 returning id",
};
