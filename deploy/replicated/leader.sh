#!/bin/bash
# What is acknowledged is on two disks: a commit waits until the standby has it. In force from the first real start on.
psql --username sluice --dbname sluice --set password="$REPLICATION_PASSWORD" <<'SQL'
create role replicator with replication login password :'password';
alter system set synchronous_standby_names = 'ANY 1 (*)';
SQL
echo 'host replication replicator all scram-sha-256' >> "$PGDATA/pg_hba.conf"
