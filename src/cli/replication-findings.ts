import type { HostState, LeaderSettings } from "../store/postgres/index.ts";
import { type Finding, fine, unset, wrong } from "./finding.ts";

const ROLES = "database hosts";
const PROMISE = "database durability";

const SYNCHRONOUS =
  "let commits wait for a standby: in Patroni synchronous_mode and synchronous_mode_strict, " +
  "else synchronous_standby_names = 'ANY 1 (*)'";

/** Checks whether the database keeps the promise of Sluice that an acknowledged commit survives the failure of any machine. */
export function replicationFindings(hosts: readonly HostState[]): readonly Finding[] {
  const leaders = hosts.filter((host) => host.role === "leader");
  const [leader] = leaders;
  const roles = hosts.length > 1 ? [hostRoles(hosts, leaders.length)] : [];
  // Without a leader, or with two, it is unknown whose settings apply.
  if (leader === undefined || leaders.length > 1) return roles;
  return [...roles, durability(leader, hosts.length > 1)];
}

function hostRoles(hosts: readonly HostState[], leaders: number): Finding {
  const detail = hosts.map((host) => `${host.name} ${roleOf(host)}`).join(", ");
  if (leaders > 1) {
    const fix = "name the hosts of one cluster only; if they are, one of them must be stopped: both take writes";
    return wrong(ROLES, `${detail}: ${leaders} hosts lead`, fix);
  }
  if (leaders === 0) {
    return wrong(ROLES, `${detail}: no host takes writes`, "see whether the cluster has a leader (`patronictl list`)");
  }
  if (hosts.some(({ role }) => role === "unreachable")) {
    return unset(ROLES, detail, "start the host that does not answer, or leave it out of DATABASE_URL");
  }
  return fine(ROLES, detail);
}

function roleOf(host: HostState): string {
  if (host.role === "leader") return "leads";
  return host.role === "standby" ? "is a standby" : `does not answer (${host.reason})`;
}

function durability(leader: LeaderSettings, isReplicated: boolean): Finding {
  const { fsync, synchronousCommit: commit, synchronousStandbyNames: names } = leader;
  if (!fsync) return wrong(PROMISE, "fsync is off: a machine that fails can lose everything", "set fsync = on");
  if (commit === "off") {
    const lost = "synchronous_commit is off: a crash loses the last moments of what was acknowledged";
    return wrong(PROMISE, lost, "set synchronous_commit = on, for the role of Sluice at least");
  }
  return names === "" ? asynchronous(leader, isReplicated) : synchronous(leader);
}

function asynchronous({ standbys }: LeaderSettings, isReplicated: boolean): Finding {
  if (isReplicated) {
    const lost = "synchronous_standby_names is empty: a failover loses what no standby had received";
    return wrong(PROMISE, `several hosts, and ${lost}`, SYNCHRONOUS);
  }
  if (standbys > 0) {
    const detail = `${count(standbys)}, and no commit waits for one: a failover to one of them loses acknowledged facts`;
    return unset(PROMISE, detail, `${SYNCHRONOUS}; not needed when they are only read from`);
  }
  return fine(PROMISE, "commits are on disk before they are acknowledged; no standby of Postgres is connected");
}

function synchronous({ synchronousCommit: commit, standbys, synchronousStandbys: waited }: LeaderSettings): Finding {
  if (commit === "local") {
    const lost = "synchronous_commit is local: no commit waits for the synchronous standbys that are named";
    return wrong(PROMISE, lost, "set synchronous_commit = on, for the role of Sluice at least");
  }
  if (standbys === 0 || waited === 0) {
    const detail = "synchronous_standby_names names standbys and none is connected: commits wait until one is";
    return wrong(PROMISE, detail, "start a standby; `patronictl list` shows which is down");
  }
  if (commit === "remote_write") {
    const detail =
      "synchronous_commit is remote_write: leader and standby losing power together lose acknowledged facts";
    return unset(PROMISE, detail, "set synchronous_commit = on");
  }
  const shown = waited === null ? count(standbys) : `${waited} of ${count(standbys)} synchronous`;
  return fine(PROMISE, `commits are on the disk of a standby before they are acknowledged (${shown})`);
}

function count(standbys: number): string {
  return standbys === 1 ? "1 standby" : `${standbys} standbys`;
}
