-- agent_counters  fillfactor=50
  org_id text not null collate C
  agent_id text not null collate C
  open integer not null
  max_open integer
  hits bigint[] not null
  rate_count integer
  window_ms bigint
  hit_counts integer[]
  PRIMARY KEY (org_id, agent_id)
  CREATE UNIQUE INDEX agent_counters_pkey ON public.agent_counters USING btree (org_id, agent_id)

-- agent_memories
  org_id text not null collate C
  agent_id text not null collate C
  profile text not null collate C
  at bigint not null
  id text not null collate C
  workflow text not null collate C
  run_id text not null collate C
  node_id text not null collate C
  attempt integer not null
  text text not null compression lz4
  PRIMARY KEY (org_id, agent_id, profile, at, id)
  CREATE UNIQUE INDEX agent_memories_pkey ON public.agent_memories USING btree (org_id, agent_id, profile, at, id)
  CREATE INDEX agent_memories_run ON public.agent_memories USING btree (run_id)

-- alert_leases
  name text not null collate C
  holder text not null compression lz4
  expires_at bigint not null
  PRIMARY KEY (name)
  CREATE UNIQUE INDEX alert_leases_pkey ON public.alert_leases USING btree (name)

-- approval_comments
  org_id text not null collate C
  approval_id text not null collate C
  at bigint not null
  id text not null collate C
  by text not null compression lz4
  by_id text collate C
  person_id text collate C
  text text not null compression lz4
  PRIMARY KEY (org_id, approval_id, at, id)
  CREATE UNIQUE INDEX approval_comments_pkey ON public.approval_comments USING btree (org_id, approval_id, at, id)

-- approval_tickets
  hash text not null collate C
  org_id text not null collate C
  approval_id text not null collate C
  channel text not null compression lz4
  person_id text compression lz4
  address text not null compression lz4
  name text not null compression lz4
  created_at bigint not null
  expires_at bigint not null
  held_until bigint not null
  used_at bigint
  PRIMARY KEY (hash)
  CREATE INDEX approval_tickets_approval ON public.approval_tickets USING btree (approval_id)
  CREATE INDEX approval_tickets_expired ON public.approval_tickets USING btree (expires_at)
  CREATE UNIQUE INDEX approval_tickets_pkey ON public.approval_tickets USING btree (hash)

-- approvals
  id text not null collate C
  org_id text not null collate C
  run_id text not null collate C
  status text not null compression lz4
  requested_at bigint not null
  body text not null compression lz4
  expires_at bigint not null
  workflow text collate C
  source text not null collate C
  asks text not null collate C
  answered text not null collate C
  is_separate boolean not null
  requester text collate C
  assignee text collate C
  group_key text collate C
  search text not null collate C
  subject text compression lz4
  noted_at bigint
  PRIMARY KEY (id)
  CHECK ((status = ANY (ARRAY['pending'::text, 'approved'::text, 'rejected'::text, 'expired'::text, 'cancelled'::text])))
  CREATE INDEX approvals_expiring ON public.approvals USING btree (org_id, expires_at, id) WHERE (status = 'pending'::text)
  CREATE INDEX approvals_newest ON public.approvals USING btree (org_id, requested_at DESC, id DESC)
  CREATE INDEX approvals_noted ON public.approvals USING btree (org_id, noted_at) WHERE (noted_at IS NOT NULL)
  CREATE INDEX approvals_open ON public.approvals USING btree (org_id, requested_at DESC, id DESC) WHERE (status = 'pending'::text)
  CREATE INDEX approvals_pending ON public.approvals USING btree (run_id) WHERE (status = 'pending'::text)
  CREATE UNIQUE INDEX approvals_pkey ON public.approvals USING btree (id)
  CREATE INDEX approvals_run ON public.approvals USING btree (run_id)

-- attempt_reports
  run_id text not null collate C
  node_id text not null collate C
  attempt integer not null
  org_id text not null collate C
  agent_id text collate C
  session_id text collate C
  messages text not null compression lz4
  logs text not null compression lz4
  at bigint not null
  PRIMARY KEY (run_id, node_id, attempt)
  CREATE INDEX attempt_reports_age ON public.attempt_reports USING btree (org_id, at)
  CREATE UNIQUE INDEX attempt_reports_pkey ON public.attempt_reports USING btree (run_id, node_id, attempt)
  CREATE INDEX attempt_reports_thread ON public.attempt_reports USING btree (org_id, agent_id, session_id, at DESC) WHERE (session_id IS NOT NULL)

-- audit_blocks LIST (is_kept)
  org_id text not null collate C
  to_seq bigint not null
  is_kept boolean not null
  at bigint not null
  body bytea not null
  PRIMARY KEY (org_id, to_seq, is_kept, at)
  CREATE UNIQUE INDEX audit_blocks_pkey ON ONLY public.audit_blocks USING btree (org_id, to_seq, is_kept, at)

-- audit_facets
  org_id text not null collate C
  facet text not null collate C
  to_seq bigint not null
  PRIMARY KEY (org_id, facet, to_seq)
  CREATE UNIQUE INDEX audit_facets_pkey ON public.audit_facets USING btree (org_id, facet, to_seq)

-- audit_heads
  org_id text not null collate C
  seq bigint not null
  hash text not null compression lz4
  segment text compression lz4
  segment_opened_at bigint
  PRIMARY KEY (org_id)
  CREATE INDEX audit_heads_open ON public.audit_heads USING btree (segment_opened_at) WHERE (segment_opened_at IS NOT NULL)
  CREATE UNIQUE INDEX audit_heads_pkey ON public.audit_heads USING btree (org_id)

-- audit_open
  org_id text not null collate C
  to_seq bigint not null
  newest_at bigint not null
  body bytea not null
  PRIMARY KEY (org_id, to_seq)
  CREATE UNIQUE INDEX audit_open_pkey ON public.audit_open USING btree (org_id, to_seq)

-- audit_pending
  id text not null collate C
  org_id text not null collate C
  at bigint not null
  body text not null compression lz4
  PRIMARY KEY (org_id, at, id)
  CREATE UNIQUE INDEX audit_pending_pkey ON public.audit_pending USING btree (org_id, at, id)

-- audit_records
  org_id text not null collate C
  seq bigint not null
  at bigint not null
  category text not null compression lz4
  type text not null compression lz4
  run_id text collate C
  body text not null compression lz4
  CHECK ((category = ANY (ARRAY['governance'::text, 'execution'::text, 'lifecycle'::text, 'security'::text, 'configuration'::text, 'routing'::text])))
  PRIMARY KEY (org_id, seq)
  CREATE INDEX audit_records_category ON public.audit_records USING btree (org_id, category, seq)
  CREATE UNIQUE INDEX audit_records_pkey ON public.audit_records USING btree (org_id, seq)
  CREATE INDEX audit_records_run ON public.audit_records USING btree (org_id, run_id, seq) WHERE (run_id IS NOT NULL)

-- audit_salts
  org_id text not null collate C
  subject text not null collate C
  salt text not null compression lz4
  PRIMARY KEY (org_id, subject)
  CREATE UNIQUE INDEX audit_salts_pkey ON public.audit_salts USING btree (org_id, subject)

-- audit_segments
  org_id text not null collate C
  to_seq bigint not null
  from_seq bigint not null
  at bigint not null
  checkpoint text compression lz4
  pruned text compression lz4
  asked text not null compression lz4
  PRIMARY KEY (org_id, to_seq)
  CREATE INDEX audit_segments_age ON public.audit_segments USING btree (org_id, at)
  CREATE UNIQUE INDEX audit_segments_pkey ON public.audit_segments USING btree (org_id, to_seq)

-- audit_texts
  org_id text not null collate C
  seq bigint not null
  subject text not null collate C
  text text not null compression lz4
  PRIMARY KEY (org_id, seq)
  CREATE UNIQUE INDEX audit_texts_pkey ON public.audit_texts USING btree (org_id, seq)
  CREATE INDEX audit_texts_subject ON public.audit_texts USING btree (org_id, subject)

-- blob_references
  org_id text not null collate C
  hash text not null collate C
  run_id text not null collate C
  PRIMARY KEY (org_id, hash, run_id)
  CREATE UNIQUE INDEX blob_references_pkey ON public.blob_references USING btree (org_id, hash, run_id)
  CREATE INDEX blob_references_run ON public.blob_references USING btree (run_id)

-- blobs
  org_id text not null collate C
  hash text not null collate C
  bytes integer not null
  body text not null compression lz4
  PRIMARY KEY (org_id, hash)
  CREATE UNIQUE INDEX blobs_pkey ON public.blobs USING btree (org_id, hash)

-- cell_arrivals
  org_id text not null collate C
  move_id text not null collate C
  PRIMARY KEY (org_id)
  CREATE UNIQUE INDEX cell_arrivals_pkey ON public.cell_arrivals USING btree (org_id)

-- cell_changes
  org_id text not null collate C
  id bigint not null
  table_name text not null collate C
  row_key text not null collate C
  PRIMARY KEY (org_id, id)
  CREATE UNIQUE INDEX cell_changes_pkey ON public.cell_changes USING btree (org_id, id)

-- cell_moves
  id text not null collate C
  org_id text not null collate C
  source text not null collate C
  target text not null collate C
  stage text not null collate C
  reason text
  tables text
  asked_by text
  created_at bigint not null
  updated_at bigint not null
  frozen_at bigint
  switched_at bigint
  PRIMARY KEY (id)
  CREATE INDEX cell_moves_changed ON public.cell_moves USING btree (updated_at)
  CREATE UNIQUE INDEX cell_moves_open ON public.cell_moves USING btree (org_id) WHERE (stage <> ALL (ARRAY['done'::text, 'failed'::text]))
  CREATE UNIQUE INDEX cell_moves_pkey ON public.cell_moves USING btree (id)

-- channel_postings
  org_id text not null collate C
  target_id text not null collate C
  approval_id text not null collate C
  place text not null collate C
  id text not null collate C
  at bigint not null
  PRIMARY KEY (org_id, target_id, approval_id, place, id)
  CREATE INDEX channel_postings_approval ON public.channel_postings USING btree (approval_id)
  CREATE UNIQUE INDEX channel_postings_pkey ON public.channel_postings USING btree (org_id, target_id, approval_id, place, id)

-- channel_turns
  org_id text not null collate C
  target_id text not null collate C
  taken text not null compression lz4
  PRIMARY KEY (org_id, target_id)
  CREATE UNIQUE INDEX channel_turns_pkey ON public.channel_turns USING btree (org_id, target_id)

-- credential_organisations
  kind text not null collate C
  hash text not null collate C
  org_id text not null collate C
  PRIMARY KEY (kind, hash, org_id)
  CREATE UNIQUE INDEX credential_organisations_pkey ON public.credential_organisations USING btree (kind, hash, org_id)

-- definitions
  org_id text not null collate C
  hash text not null collate C
  source text not null compression lz4
  catalog text compression lz4
  PRIMARY KEY (org_id, hash)
  CREATE UNIQUE INDEX definitions_pkey ON public.definitions USING btree (org_id, hash)

-- entry_secrets
  org_id text not null collate C
  kind text not null collate C
  id text not null collate C
  name text not null collate C
  value text not null compression lz4
  PRIMARY KEY (org_id, kind, id, name)
  CREATE UNIQUE INDEX entry_secrets_pkey ON public.entry_secrets USING btree (org_id, kind, id, name)

-- envelope_counters  fillfactor=50
  org_id text not null collate C
  envelope_id text not null collate C
  period_start bigint not null
  spent bigint not null
  reserved bigint not null
  ceiling bigint
  PRIMARY KEY (org_id, envelope_id, period_start)
  CREATE UNIQUE INDEX envelope_counters_pkey ON public.envelope_counters USING btree (org_id, envelope_id, period_start)

-- event_blocks RANGE (run_id)
  run_id text not null collate C
  first_event_id integer not null
  last_event_id integer not null
  body text not null compression lz4
  org_id text not null collate C
  CHECK (((first_event_id >= 1) AND (last_event_id >= first_event_id)))
  PRIMARY KEY (run_id, first_event_id)
  CREATE UNIQUE INDEX event_blocks_pkey ON ONLY public.event_blocks USING btree (run_id, first_event_id)

-- event_waiters
  run_id text not null collate C
  node_id text not null collate C
  org_id text not null collate C
  epoch integer not null
  blocked_by integer not null
  type text not null collate C
  key_digest text not null collate C
  since bigint not null
  marked_at bigint
  PRIMARY KEY (run_id, node_id)
  CREATE INDEX event_waiters_marked ON public.event_waiters USING btree (marked_at) WHERE (marked_at IS NOT NULL)
  CREATE INDEX event_waiters_match ON public.event_waiters USING btree (org_id, type, key_digest, run_id, node_id)
  CREATE UNIQUE INDEX event_waiters_pkey ON public.event_waiters USING btree (run_id, node_id)

-- file_garbage
  place text not null collate C
  org_id text not null collate C
  at bigint not null
  PRIMARY KEY (place)
  CREATE UNIQUE INDEX file_garbage_pkey ON public.file_garbage USING btree (place)

-- file_references
  org_id text not null collate C
  sha256 text not null collate C
  run_id text not null collate C
  name text not null collate C
  mime text not null compression lz4
  size bigint not null
  PRIMARY KEY (org_id, sha256, run_id, name)
  CREATE UNIQUE INDEX file_references_pkey ON public.file_references USING btree (org_id, sha256, run_id, name)
  CREATE INDEX file_references_run ON public.file_references USING btree (run_id)

-- file_upload_parts
  org_id text not null collate C
  upload_id text not null collate C
  part integer not null
  size bigint not null
  sha256 text not null collate C
  object text not null collate C
  PRIMARY KEY (upload_id, part)
  CREATE UNIQUE INDEX file_upload_parts_pkey ON public.file_upload_parts USING btree (upload_id, part)

-- file_uploads
  id text not null collate C
  org_id text not null collate C
  name text not null compression lz4
  mime text not null compression lz4
  size bigint not null
  sha256 text collate C
  place text not null collate C
  created_by text not null collate C
  created_at bigint not null
  completed text collate C
  PRIMARY KEY (id)
  CREATE INDEX file_uploads_age ON public.file_uploads USING btree (created_at)
  CREATE INDEX file_uploads_content ON public.file_uploads USING btree (org_id, sha256) WHERE (completed IS NULL)
  CREATE UNIQUE INDEX file_uploads_pkey ON public.file_uploads USING btree (id)

-- files
  org_id text not null collate C
  sha256 text not null collate C
  size bigint not null
  name text not null compression lz4
  mime text not null compression lz4
  place text not null collate C
  parts text not null compression lz4
  created_at bigint not null
  claimed_at bigint not null
  PRIMARY KEY (org_id, sha256)
  CREATE INDEX files_claimed ON public.files USING btree (claimed_at)
  CREATE INDEX files_newest ON public.files USING btree (org_id, created_at, sha256)
  CREATE UNIQUE INDEX files_pkey ON public.files USING btree (org_id, sha256)

-- gateway_history
  org_id text not null collate C
  gateway_id text not null collate C
  at bigint not null
  status text not null compression lz4
  CHECK ((status = ANY (ARRAY['healthy'::text, 'degraded'::text, 'offline'::text, 'unknown'::text])))
  CREATE INDEX gateway_history_newest ON public.gateway_history USING btree (org_id, gateway_id, at DESC)

-- gateway_links
  org_id text not null collate C
  gateway_id text not null collate C
  status text not null compression lz4
  instance_id text compression lz4
  instance_started_at bigint
  dispatch_token text compression lz4
  callback_hash text collate C
  previous_callback_hash text collate C
  previous_until bigint
  seen_at bigint
  instance_facts text compression lz4
  PRIMARY KEY (org_id, gateway_id)
  CHECK ((status = ANY (ARRAY['healthy'::text, 'degraded'::text, 'offline'::text, 'unknown'::text])))
  CREATE INDEX gateway_links_old_token ON public.gateway_links USING btree (previous_callback_hash) WHERE (previous_callback_hash IS NOT NULL)
  CREATE UNIQUE INDEX gateway_links_pkey ON public.gateway_links USING btree (org_id, gateway_id)
  CREATE UNIQUE INDEX gateway_links_token ON public.gateway_links USING btree (callback_hash)

-- idempotency_keys
  org_id text not null collate C
  key_id text not null collate C
  workflow text not null collate C
  key text not null collate C
  run_id text not null collate C
  body_hash text not null compression lz4
  created_at bigint not null
  PRIMARY KEY (org_id, key_id, workflow, key)
  CREATE UNIQUE INDEX idempotency_keys_pkey ON public.idempotency_keys USING btree (org_id, key_id, workflow, key)
  CREATE INDEX idempotency_keys_run ON public.idempotency_keys USING btree (run_id)

-- installation_secrets
  name text not null collate C
  value text not null compression lz4
  PRIMARY KEY (name)
  CREATE UNIQUE INDEX installation_secrets_pkey ON public.installation_secrets USING btree (name)

-- invitations
  id text not null collate C
  org_id text not null collate C
  email text not null compression lz4
  roles text not null compression lz4
  groups text not null compression lz4
  hash text not null collate C
  created_by text not null compression lz4
  created_at bigint not null
  expires_at bigint not null
  accepted_by text collate C
  accepted_at bigint
  revoked_at bigint
  UNIQUE (hash)
  PRIMARY KEY (id)
  CREATE UNIQUE INDEX invitations_hash_key ON public.invitations USING btree (hash)
  CREATE INDEX invitations_newest ON public.invitations USING btree (org_id, created_at DESC, id DESC)
  CREATE UNIQUE INDEX invitations_pkey ON public.invitations USING btree (id)

-- keys
  id text not null collate C
  org_id text not null collate C
  hash text not null collate C
  label text not null compression lz4
  permissions text not null compression lz4
  agent_id text compression lz4
  created_at bigint not null
  expires_at bigint
  revoked_at bigint
  created_by text collate C
  person_id text collate C
  is_named boolean not null
  UNIQUE (hash)
  PRIMARY KEY (id)
  CREATE UNIQUE INDEX keys_hash_key ON public.keys USING btree (hash)
  CREATE INDEX keys_newest ON public.keys USING btree (org_id, created_at DESC, id DESC)
  CREATE INDEX keys_person ON public.keys USING btree (org_id, person_id) WHERE (person_id IS NOT NULL)
  CREATE UNIQUE INDEX keys_pkey ON public.keys USING btree (id)

-- late_usage
  org_id text not null collate C
  start bigint not null
  PRIMARY KEY (org_id, start)
  CREATE UNIQUE INDEX late_usage_pkey ON public.late_usage USING btree (org_id, start)

-- launch_approvals
  org_id text not null collate C
  digest text not null collate C
  approval_id text not null collate C
  expires_at bigint not null
  PRIMARY KEY (org_id, digest)
  CREATE INDEX launch_approvals_approval ON public.launch_approvals USING btree (approval_id)
  CREATE INDEX launch_approvals_expiry ON public.launch_approvals USING btree (expires_at)
  CREATE UNIQUE INDEX launch_approvals_pkey ON public.launch_approvals USING btree (org_id, digest)

-- memberships
  org_id text not null collate C
  person_id text not null collate C
  claimed_roles text not null compression lz4
  claimed_groups text not null compression lz4
  assigned_roles text not null compression lz4
  assigned_groups text not null compression lz4
  deputy_id text collate C
  deputy_from bigint
  deputy_until bigint
  joined_at bigint not null
  PRIMARY KEY (org_id, person_id)
  CREATE INDEX memberships_deputy ON public.memberships USING btree (org_id, deputy_id) WHERE (deputy_id IS NOT NULL)
  CREATE INDEX memberships_groups ON public.memberships USING gin ((((claimed_groups)::jsonb || (assigned_groups)::jsonb)))
  CREATE INDEX memberships_person ON public.memberships USING btree (person_id)
  CREATE UNIQUE INDEX memberships_pkey ON public.memberships USING btree (org_id, person_id)

-- open_attempts
  run_id text not null collate C
  node_id text not null collate C
  attempt integer not null
  org_id text not null collate C
  replica_id text not null collate C
  deadline_at bigint
  agent_id text collate C
  reserved text not null compression lz4
  parallel_of text collate C
  function text collate C
  work text compression lz4
  is_once boolean
  offered_at bigint
  worker_id text collate C
  worker_until bigint
  PRIMARY KEY (run_id, node_id, attempt)
  CREATE INDEX open_attempts_due ON public.open_attempts USING btree (deadline_at) WHERE (deadline_at IS NOT NULL)
  CREATE UNIQUE INDEX open_attempts_pkey ON public.open_attempts USING btree (run_id, node_id, attempt)
  CREATE INDEX open_attempts_work ON public.open_attempts USING btree (org_id, function, offered_at) WHERE (function IS NOT NULL)

-- organisation_config
  org_id text not null collate C
  version bigint not null
  is_open boolean not null
  reason text compression lz4
  PRIMARY KEY (org_id)
  CREATE UNIQUE INDEX organisation_config_pkey ON public.organisation_config USING btree (org_id)

-- organisations
  org_id text not null collate C
  created_at bigint not null
  name text compression lz4
  cell text collate C
  PRIMARY KEY (org_id)
  CREATE UNIQUE INDEX organisations_pkey ON public.organisations USING btree (org_id)

-- pauses
  org_id text not null collate C
  workflow text not null collate C
  by text compression lz4
  reason text compression lz4
  at bigint not null
  PRIMARY KEY (org_id, workflow)
  CREATE UNIQUE INDEX pauses_pkey ON public.pauses USING btree (org_id, workflow)

-- persons
  id text not null collate C
  issuer text not null collate C
  subject text not null collate C
  email text compression lz4
  name text not null compression lz4
  is_disabled boolean not null
  created_at bigint not null
  UNIQUE (issuer, subject)
  PRIMARY KEY (id)
  CREATE INDEX persons_email ON public.persons USING btree (lower(email)) WHERE (email IS NOT NULL)
  CREATE UNIQUE INDEX persons_issuer_subject_key ON public.persons USING btree (issuer, subject)
  CREATE UNIQUE INDEX persons_pkey ON public.persons USING btree (id)
  CREATE INDEX persons_subject ON public.persons USING btree (subject)

-- received_events
  org_id text not null collate C
  id text not null collate C
  type text not null collate C
  key_digest text not null collate C
  body text not null compression lz4
  hops integer not null
  sent_by text collate C
  received_at bigint not null
  expires_at bigint not null
  marked_at bigint
  PRIMARY KEY (org_id, id)
  CREATE INDEX received_events_expired ON public.received_events USING btree (expires_at) WHERE (marked_at IS NULL)
  CREATE INDEX received_events_marked ON public.received_events USING btree (marked_at) WHERE (marked_at IS NOT NULL)
  CREATE INDEX received_events_match ON public.received_events USING btree (org_id, type, key_digest, received_at, id)
  CREATE UNIQUE INDEX received_events_pkey ON public.received_events USING btree (org_id, id)
  CREATE INDEX received_events_time ON public.received_events USING btree (org_id, received_at, id)

-- registry
  org_id text not null collate C
  kind text not null collate C
  id text not null collate C
  revision integer not null
  body text not null compression lz4
  created_at bigint not null
  updated_at bigint not null
  saved_by text collate C
  CHECK ((kind = ANY (ARRAY['agent'::text, 'alert'::text, 'binding'::text, 'budget'::text, 'channel'::text, 'credit_plan'::text, 'deployment'::text, 'function'::text, 'gateway'::text, 'grant'::text, 'lens'::text, 'library'::text, 'model'::text, 'policy'::text, 'retention'::text, 'schedule'::text, 'secret'::text, 'team'::text, 'tool'::text, 'trigger'::text, 'webhook'::text])))
  PRIMARY KEY (org_id, kind, id)
  CREATE INDEX registry_channels ON public.registry USING btree (id, org_id) WHERE (kind = 'channel'::text)
  CREATE UNIQUE INDEX registry_pkey ON public.registry USING btree (org_id, kind, id)
  CREATE INDEX registry_triggers ON public.registry USING btree (id) WHERE (kind = 'trigger'::text)

-- replicas
  replica_id text not null collate C
  expires_at bigint not null
  PRIMARY KEY (replica_id)
  CREATE UNIQUE INDEX replicas_pkey ON public.replicas USING btree (replica_id)

-- run_archives
  org_id text not null collate C
  run_id text not null collate C
  workflow text not null collate C
  place text not null compression lz4
  name text not null compression lz4
  size bigint not null
  sha256 text not null collate C
  archived_at bigint not null
  PRIMARY KEY (org_id, run_id)
  CREATE UNIQUE INDEX run_archives_pkey ON public.run_archives USING btree (org_id, run_id)

-- run_erasures
  run_id text not null collate C
  org_id text not null collate C
  at bigint not null
  by text not null compression lz4
  sha256 text not null collate C
  PRIMARY KEY (run_id)
  CREATE UNIQUE INDEX run_erasures_pkey ON public.run_erasures USING btree (run_id)

-- run_facets
  org_id text not null collate C
  facet text not null collate C
  created_at bigint not null
  run_id text not null collate C
  PRIMARY KEY (org_id, facet, created_at, run_id)
  CREATE UNIQUE INDEX run_facets_pkey ON public.run_facets USING btree (org_id, facet, created_at, run_id)
  CREATE INDEX run_facets_run ON public.run_facets USING btree (run_id)

-- run_heads  fillfactor=50
  run_id text not null collate C
  org_id text not null collate C
  row_version integer not null
  status text not null compression lz4
  epoch integer not null
  last_event_id integer not null
  cost_micros bigint not null
  started_at bigint
  ended_at bigint
  waiting_for text compression lz4
  workflow text collate C
  listed_at bigint
  error_code text collate C
  error_message text compression lz4
  settled_micros bigint
  duration_ms bigint
  paused text compression lz4
  PRIMARY KEY (run_id)
  CHECK ((status = ANY (ARRAY['queued'::text, 'running'::text, 'recovered'::text, 'completed'::text, 'failed'::text, 'cancelled'::text, 'timed_out'::text])))
  CHECK ((waiting_for = ANY (ARRAY['person'::text, 'event'::text, 'timer'::text, 'gate'::text, 'child'::text])))
  CREATE INDEX run_heads_cost ON public.run_heads USING btree (org_id, settled_micros) WHERE ((settled_micros IS NOT NULL) AND (listed_at IS NOT NULL))
  CREATE INDEX run_heads_duration ON public.run_heads USING btree (org_id, duration_ms) WHERE ((duration_ms IS NOT NULL) AND (listed_at IS NOT NULL))
  CREATE INDEX run_heads_ended ON public.run_heads USING btree (org_id, ended_at) WHERE (ended_at IS NOT NULL)
  CREATE INDEX run_heads_error ON public.run_heads USING btree (org_id, error_code, listed_at DESC, run_id DESC) WHERE ((error_code IS NOT NULL) AND (listed_at IS NOT NULL))
  CREATE INDEX run_heads_open ON public.run_heads USING btree (org_id, run_id) WHERE (status = ANY (ARRAY['queued'::text, 'running'::text, 'recovered'::text]))
  CREATE UNIQUE INDEX run_heads_pkey ON public.run_heads USING btree (run_id)
  CREATE INDEX run_heads_status ON public.run_heads USING btree (org_id, status, listed_at DESC, run_id DESC) WHERE (listed_at IS NOT NULL)
  CREATE INDEX run_heads_waiting ON public.run_heads USING btree (org_id, waiting_for, run_id) WHERE (waiting_for IS NOT NULL)
  CREATE INDEX run_heads_workflow ON public.run_heads USING btree (org_id, workflow, status, listed_at DESC, run_id DESC) WHERE (listed_at IS NOT NULL)

-- run_imports
  run_id text not null collate C
  org_id text not null collate C
  at bigint not null
  PRIMARY KEY (run_id)
  CREATE UNIQUE INDEX run_imports_pkey ON public.run_imports USING btree (run_id)

-- run_places
  run_id text not null collate C
  org_id text not null collate C
  key text not null collate C
  slot integer
  since bigint not null
  PRIMARY KEY (run_id)
  CREATE UNIQUE INDEX run_places_held ON public.run_places USING btree (org_id, key, slot) WHERE (slot IS NOT NULL)
  CREATE UNIQUE INDEX run_places_pkey ON public.run_places USING btree (run_id)
  CREATE INDEX run_places_waiting ON public.run_places USING btree (org_id, key, since, run_id) WHERE (slot IS NULL)

-- run_trends
  org_id text not null collate C
  bucket text not null collate C
  grouped_by text not null collate C
  group_name text not null collate C
  start bigint not null
  figures text not null compression lz4
  CHECK ((bucket = ANY (ARRAY['hour'::text, 'day'::text])))
  PRIMARY KEY (org_id, bucket, grouped_by, start, group_name)
  CREATE UNIQUE INDEX run_trends_pkey ON public.run_trends USING btree (org_id, bucket, grouped_by, start, group_name)

-- run_words
  run_id text not null collate C
  org_id text not null collate C
  created_at bigint not null
  words tsvector not null
  trend text compression lz4
  PRIMARY KEY (run_id)
  CREATE INDEX run_words_newest ON public.run_words USING btree (org_id, created_at DESC, run_id DESC)
  CREATE UNIQUE INDEX run_words_pkey ON public.run_words USING btree (run_id)
  CREATE INDEX run_words_words ON public.run_words USING gin (words)

-- runs
  run_id text not null collate C
  org_id text not null collate C
  workflow text not null collate C
  version integer
  definition_hash text not null collate C
  args text not null compression lz4
  trigger text not null compression lz4
  trace_id text not null compression lz4
  root_span_id text not null compression lz4
  parent_run_id text collate C
  source_run_id text collate C
  recursion_depth integer not null
  gateway text compression lz4
  model text compression lz4
  role_bindings text not null compression lz4
  started_by text compression lz4
  created_at bigint not null
  pinned_hash text collate C
  team text collate C
  recovery_max integer
  parent_node text collate C
  parent_attempt integer
  parent_span_id text compression lz4
  requested_by text compression lz4
  block text collate C
  labels text not null compression lz4
  priority text not null compression lz4
  PRIMARY KEY (run_id)
  CREATE INDEX runs_blocks ON public.runs USING btree (run_id) WHERE (block IS NOT NULL)
  CREATE INDEX runs_children ON public.runs USING btree (parent_run_id) WHERE (parent_run_id IS NOT NULL)
  CREATE INDEX runs_listed ON public.runs USING btree (org_id, created_at DESC, run_id DESC) WHERE (block IS NULL)
  CREATE INDEX runs_of_starter ON public.runs USING btree (org_id, started_by, created_at DESC, run_id DESC) WHERE (block IS NULL)
  CREATE INDEX runs_of_trigger ON public.runs USING btree (org_id, trigger, created_at DESC, run_id DESC) WHERE (block IS NULL)
  CREATE INDEX runs_of_version ON public.runs USING btree (org_id, version, created_at DESC, run_id DESC) WHERE (block IS NULL)
  CREATE INDEX runs_of_workflow ON public.runs USING btree (org_id, workflow, created_at DESC, run_id DESC) WHERE (block IS NULL)
  CREATE UNIQUE INDEX runs_pkey ON public.runs USING btree (run_id)
  CREATE INDEX runs_recoverable ON public.runs USING btree (run_id) WHERE (recovery_max > 0)
  CREATE INDEX runs_source ON public.runs USING btree (source_run_id) WHERE (source_run_id IS NOT NULL)

-- saved_views
  org_id text not null collate C
  id text not null collate C
  owner text not null collate C
  name text not null compression lz4
  is_shared boolean not null
  query text not null compression lz4
  created_at bigint not null
  updated_at bigint not null
  PRIMARY KEY (org_id, id)
  CREATE UNIQUE INDEX saved_views_pkey ON public.saved_views USING btree (org_id, id)

-- schedule_cursors
  org_id text not null collate C
  schedule_id text not null collate C
  edition text not null compression lz4
  looked_until bigint not null
  PRIMARY KEY (org_id, schedule_id)
  CREATE UNIQUE INDEX schedule_cursors_pkey ON public.schedule_cursors USING btree (org_id, schedule_id)

-- schedule_slots
  org_id text not null collate C
  schedule_id text not null collate C
  slot_at bigint not null
  state text not null compression lz4
  workflow text not null collate C
  run_id text collate C
  reason text compression lz4
  claimed_at bigint not null
  claimed_by text not null compression lz4
  CHECK (((state = 'started'::text) = (run_id IS NOT NULL)))
  PRIMARY KEY (org_id, schedule_id, slot_at)
  CHECK ((state = ANY (ARRAY['claimed'::text, 'queued'::text, 'started'::text, 'skipped'::text, 'refused'::text])))
  CREATE UNIQUE INDEX schedule_slots_pkey ON public.schedule_slots USING btree (org_id, schedule_id, slot_at)
  CREATE INDEX schedule_slots_unsettled ON public.schedule_slots USING btree (org_id, schedule_id, state, slot_at) WHERE (state = ANY (ARRAY['claimed'::text, 'queued'::text]))

-- schema_migrations
  version integer not null
  name text not null
  min_reader integer not null
  applied_at bigint not null
  PRIMARY KEY (version)
  CREATE UNIQUE INDEX schema_migrations_pkey ON public.schema_migrations USING btree (version)

-- secret_uses
  org_id text not null collate C
  name text not null collate C
  used_at bigint not null
  PRIMARY KEY (org_id, name)
  CREATE UNIQUE INDEX secret_uses_pkey ON public.secret_uses USING btree (org_id, name)

-- sessions
  id text not null collate C
  hash text not null collate C
  person_id text collate C
  key_id text collate C
  org_id text collate C
  user_agent text not null compression lz4
  ip text not null compression lz4
  created_at bigint not null
  last_seen_at bigint not null
  expires_at bigint not null
  revoked_at bigint
  CHECK (((person_id IS NULL) <> (key_id IS NULL)))
  UNIQUE (hash)
  PRIMARY KEY (id)
  CREATE INDEX sessions_expiry ON public.sessions USING btree (expires_at)
  CREATE UNIQUE INDEX sessions_hash_key ON public.sessions USING btree (hash)
  CREATE INDEX sessions_key ON public.sessions USING btree (key_id) WHERE (key_id IS NOT NULL)
  CREATE INDEX sessions_person ON public.sessions USING btree (person_id) WHERE (person_id IS NOT NULL)
  CREATE UNIQUE INDEX sessions_pkey ON public.sessions USING btree (id)

-- timers
  run_id text not null collate C
  key text not null collate C
  org_id text not null collate C
  due_at bigint not null
  PRIMARY KEY (run_id, key)
  CREATE INDEX timers_due ON public.timers USING btree (due_at)
  CREATE UNIQUE INDEX timers_pkey ON public.timers USING btree (run_id, key)

-- told_once
  org_id text not null collate C
  key text not null collate C
  at bigint not null
  PRIMARY KEY (org_id, key)
  CREATE UNIQUE INDEX told_once_pkey ON public.told_once USING btree (org_id, key)

-- trigger_deliveries
  org_id text not null collate C
  trigger_id text not null collate C
  delivery_id text not null collate C
  seq bigint not null
  state text not null compression lz4
  run_id text compression lz4
  code text compression lz4
  reason text compression lz4
  received_at bigint not null
  PRIMARY KEY (org_id, trigger_id, delivery_id)
  CHECK ((state = ANY (ARRAY['started'::text, 'filtered'::text, 'refused'::text])))
  CREATE INDEX trigger_deliveries_newest ON public.trigger_deliveries USING btree (org_id, trigger_id, seq DESC)
  CREATE UNIQUE INDEX trigger_deliveries_pkey ON public.trigger_deliveries USING btree (org_id, trigger_id, delivery_id)
  CREATE INDEX trigger_deliveries_recent ON public.trigger_deliveries USING btree (org_id, trigger_id, received_at)

-- unindexed_runs
  id bigint not null
  org_id text not null collate C
  run_id text not null collate C
  PRIMARY KEY (id)
  CREATE UNIQUE INDEX unindexed_runs_pkey ON public.unindexed_runs USING btree (id)

-- usage_records
  org_id text not null collate C
  run_id text not null collate C
  node_id text not null collate C
  attempt integer not null
  workflow text not null collate C
  agent_id text collate C
  model text collate C
  gateway_id text collate C
  input_tokens bigint not null
  output_tokens bigint not null
  thinking_tokens bigint not null
  cached_tokens bigint not null
  cost_micros bigint not null
  price_id text compression lz4
  at bigint not null
  CREATE INDEX usage_records_newest ON public.usage_records USING btree (org_id, at)

-- usage_rolling
  one boolean not null
  rolled_until bigint not null
  CHECK (one)
  PRIMARY KEY (one)
  CREATE UNIQUE INDEX usage_rolling_pkey ON public.usage_rolling USING btree (one)

-- usage_sums
  org_id text not null collate C
  span text not null compression lz4
  start bigint not null
  workflow text not null collate C
  agent_id text collate C
  model text collate C
  gateway_id text collate C
  count integer not null
  input_tokens bigint not null
  output_tokens bigint not null
  thinking_tokens bigint not null
  cached_tokens bigint not null
  cost_micros bigint not null
  CHECK ((span = ANY (ARRAY['hour'::text, 'day'::text])))
  CREATE INDEX usage_sums_newest ON public.usage_sums USING btree (org_id, span, start)

-- verdict_blocks RANGE (run_id)
  run_id text not null collate C
  first_event_id integer not null
  org_id text not null collate C
  at bigint not null
  body text not null compression lz4
  PRIMARY KEY (run_id, first_event_id)
  CREATE INDEX verdict_blocks_newest ON ONLY public.verdict_blocks USING btree (org_id, at DESC)
  CREATE UNIQUE INDEX verdict_blocks_pkey ON ONLY public.verdict_blocks USING btree (run_id, first_event_id)

-- verdict_parts
  org_id text not null collate C
  name text not null collate C
  body text not null compression lz4
  used_at bigint not null
  PRIMARY KEY (org_id, name)
  CREATE UNIQUE INDEX verdict_parts_pkey ON public.verdict_parts USING btree (org_id, name)

-- waiting_nodes
  run_id text not null collate C
  node_id text not null collate C
  org_id text not null collate C
  queue text not null collate C
  rank integer not null
  since bigint not null
  due_at bigint not null
  replica_id text collate C
  PRIMARY KEY (run_id, node_id)
  CREATE INDEX waiting_nodes_backlog ON public.waiting_nodes USING btree (org_id, queue, rank, since, run_id, node_id) WHERE (replica_id IS NULL)
  CREATE INDEX waiting_nodes_claimed ON public.waiting_nodes USING btree (replica_id) WHERE (replica_id IS NOT NULL)
  CREATE INDEX waiting_nodes_due ON public.waiting_nodes USING btree (due_at)
  CREATE UNIQUE INDEX waiting_nodes_pkey ON public.waiting_nodes USING btree (run_id, node_id)

-- webhook_cursors
  org_id text not null collate C
  audit_seq bigint not null
  swept_at bigint not null
  held_until bigint not null
  PRIMARY KEY (org_id)
  CREATE UNIQUE INDEX webhook_cursors_pkey ON public.webhook_cursors USING btree (org_id)

-- webhook_deliveries
  id text not null collate C
  seq bigint not null
  org_id text not null collate C
  webhook_id text not null collate C
  type text not null compression lz4
  body text not null compression lz4
  state text not null compression lz4
  claims integer not null
  attempts integer not null
  next_at bigint
  last_status integer
  last_error text compression lz4
  created_at bigint not null
  settled_at bigint
  recipient text compression lz4
  group_key text compression lz4
  held_until bigint not null
  run_id text collate C
  CHECK (((next_at IS NULL) = (state = ANY (ARRAY['delivered'::text, 'given_up'::text]))))
  PRIMARY KEY (id)
  CHECK ((state = ANY (ARRAY['pending'::text, 'failed'::text, 'delivered'::text, 'given_up'::text])))
  CREATE INDEX webhook_deliveries_due ON public.webhook_deliveries USING btree (next_at, seq) WHERE (next_at IS NOT NULL)
  CREATE INDEX webhook_deliveries_group ON public.webhook_deliveries USING btree (org_id, webhook_id, group_key) WHERE ((next_at IS NOT NULL) AND (group_key IS NOT NULL))
  CREATE INDEX webhook_deliveries_newest ON public.webhook_deliveries USING btree (org_id, webhook_id, seq DESC)
  CREATE UNIQUE INDEX webhook_deliveries_pkey ON public.webhook_deliveries USING btree (id)
  CREATE INDEX webhook_deliveries_run ON public.webhook_deliveries USING btree (run_id) WHERE (run_id IS NOT NULL)
  CREATE INDEX webhook_deliveries_settled ON public.webhook_deliveries USING btree (created_at) WHERE (next_at IS NULL)

-- webhook_feeds  fillfactor=50
  run_id text not null collate C
  org_id text not null collate C
  fed_event_id integer not null
  PRIMARY KEY (run_id)
  CREATE UNIQUE INDEX webhook_feeds_pkey ON public.webhook_feeds USING btree (run_id)

-- webhook_subscriptions
  org_id text not null collate C
  webhook_id text not null collate C
  since bigint not null
  PRIMARY KEY (org_id, webhook_id)
  CREATE UNIQUE INDEX webhook_subscriptions_pkey ON public.webhook_subscriptions USING btree (org_id, webhook_id)

-- workers
  org_id text not null collate C
  worker_id text not null collate C
  functions text not null compression lz4
  expires_at bigint not null
  PRIMARY KEY (org_id, worker_id)
  CREATE INDEX workers_expired ON public.workers USING btree (expires_at)
  CREATE UNIQUE INDEX workers_pkey ON public.workers USING btree (org_id, worker_id)

-- workflow_hooks
  org_id text not null collate C
  workflow text not null collate C
  secret text not null compression lz4
  previous_secret text compression lz4
  previous_until bigint
  created_at bigint not null
  updated_at bigint not null
  saved_by text collate C
  PRIMARY KEY (workflow, org_id)
  CREATE UNIQUE INDEX workflow_hooks_pkey ON public.workflow_hooks USING btree (workflow, org_id)

-- workflow_versions
  org_id text not null collate C
  name text not null collate C
  version integer not null
  hash text not null collate C
  format text not null compression lz4
  saved_at bigint not null
  saved_by text compression lz4
  definition_hash text collate C
  origin text not null compression lz4
  CHECK ((format = ANY (ARRAY['lobsterx'::text, 'lens-graph/v1'::text])))
  CHECK ((origin = ANY (ARRAY['file'::text, 'code'::text])))
  PRIMARY KEY (org_id, name, version)
  CREATE UNIQUE INDEX workflow_versions_pkey ON public.workflow_versions USING btree (org_id, name, version)

-- workflows
  org_id text not null collate C
  name text not null collate C
  status text not null compression lz4
  latest_version integer not null
  posture text not null compression lz4
  exposed boolean not null
  PRIMARY KEY (org_id, name)
  CHECK ((posture = ANY (ARRAY['advisory'::text, 'retrieval'::text, 'approval_required'::text, 'bounded_autonomous'::text])))
  CHECK ((status = ANY (ARRAY['active'::text, 'paused'::text, 'deprecated'::text])))
  CREATE UNIQUE INDEX workflows_pkey ON public.workflows USING btree (org_id, name)
