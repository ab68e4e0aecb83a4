import { protocol, type PGlite } from "@electric-sql/pglite";
import { arrayLiteral, type SqlValue, type Statement } from "../index.ts";

type Messages = Awaited<ReturnType<PGlite["execProtocolStream"]>>;

/** Ids of Postgres types whose text form must be converted. */
const BOOL = 16;
const NUMBERS: ReadonlySet<number> = new Set([20, 21, 23]);

/**
 * The one connection of an embedded database, used through the wire protocol: the engine's own `query` plans a
 * statement again each time, and planning the commit of one run took longer than everything else together.
 */
export class Connection {
  readonly #database: PGlite;
  readonly #prepared = new Set<string>();

  constructor(database: PGlite) {
    this.#database = database;
  }

  async ask<Row>({ name, text }: Statement, params: readonly SqlValue[] = []): Promise<readonly Row[]> {
    const { bind, describe, execute, parse, sync } = protocol.serialize;
    if (name === "" || !this.#prepared.has(name)) {
      await this.#send([parse({ name, text }), sync()]);
      if (name !== "") this.#prepared.add(name);
    }
    const values = params.map(encode);
    return rowsOf<Row>(
      await this.#send([bind({ statement: name, values }), describe({ type: "P" }), execute({}), sync()]),
    );
  }

  #send(messages: readonly Uint8Array[]): Promise<Messages> {
    return this.#database.execProtocolStream(Buffer.concat(messages));
  }
}

function encode(value: SqlValue): string | null {
  if (value === null) return null;
  return typeof value === "object" ? arrayLiteral(value) : String(value);
}

function rowsOf<Row>(messages: Messages): Row[] {
  let fields: readonly { readonly name: string; readonly dataTypeID: number }[] = [];
  const rows: Row[] = [];
  for (const message of messages) {
    if (message instanceof protocol.messages.RowDescriptionMessage) ({ fields } = message);
    if (!(message instanceof protocol.messages.DataRowMessage)) continue;
    const values = message.fields;
    rows.push(
      Object.fromEntries(
        fields.map((field, index) => [field.name, decode(values[index] ?? null, field.dataTypeID)]),
      ) as Row,
    );
  }
  return rows;
}

function decode(text: string | null, type: number): string | number | boolean | null {
  if (text === null) return null;
  if (NUMBERS.has(type)) return Number(text);
  return type === BOOL ? text === "t" : text;
}
