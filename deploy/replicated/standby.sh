#!/bin/bash
# Copies the leader at the first start, and follows it from then on.
export PGPASSWORD="$REPLICATION_PASSWORD"
if [ ! -s "$PGDATA/PG_VERSION" ]; then
  until pg_basebackup --host db1 --username replicator --pgdata "$PGDATA" --write-recovery-conf; do sleep 2; done
  chown --recursive postgres "$PGDATA"
  chmod 700 "$PGDATA"
fi
exec docker-entrypoint.sh postgres
