/** Compresses the `body` of tables, and of the partitions of the log, with LZ4 where the database supports it. */
export function compressBodies(tables: readonly string[]): string {
  return `do $$
      declare
        written regclass;
      begin
        for written in
          select c.oid from pg_class c where c.relname in (${tables.map((name) => `'${name}'`).join(", ")})
            and c.relnamespace = current_schema()::regnamespace
          union all
          select i.inhrelid from pg_inherits i where i.inhparent = 'event_blocks'::regclass
        loop
          execute format('alter table %s alter column body set compression lz4', written);
        end loop;
      exception
        when feature_not_supported or syntax_error then null;
      end
    $$`;
}
