import { expect, test } from "vitest";
import type { HostState, LeaderSettings } from "../store/postgres/index.ts";
import { replicationFindings } from "./replication-findings.ts";

const SETTINGS: LeaderSettings = {
  fsync: true,
  synchronousCommit: "on",
  synchronousStandbyNames: "",
  standbys: 0,
  synchronousStandbys: 0,
};
const leader = (settings: Partial<LeaderSettings> = {}): HostState => ({
  name: "h1:5432",
  role: "leader",
  ...SETTINGS,
  ...settings,
});
const STANDBY: HostState = { name: "h2:5432", role: "standby" };
const AWAY: HostState = { name: "h3:5432", role: "unreachable", reason: "timeout expired" };
const NAMED = { synchronousStandbyNames: '"h2"', standbys: 2, synchronousStandbys: 1 };

test.each<[string, readonly HostState[], boolean | null, string]>([
  ["one server", [leader()], true, "on disk"],
  ["no fsync", [leader({ fsync: false })], false, "fsync is off"],
  ["no wait for the disk", [leader({ synchronousCommit: "off" })], false, "synchronous_commit is off"],
  ["standbys beside one host", [leader({ standbys: 2 })], null, "2 standbys, and no commit waits"],
  ["several hosts, asynchronous", [leader({ standbys: 1 }), STANDBY], false, "synchronous_standby_names is empty"],
  ["synchronous", [leader(NAMED), STANDBY], true, "1 of 2 standbys synchronous"],
  [
    "remote_apply",
    [leader({ ...NAMED, synchronousCommit: "remote_apply" }), STANDBY],
    true,
    "on the disk of a standby",
  ],
  ["not allowed to see", [leader({ ...NAMED, synchronousStandbys: null })], true, "(2 standbys)"],
  ["local", [leader({ ...NAMED, synchronousCommit: "local" }), STANDBY], false, "synchronous_commit is local"],
  ["remote_write", [leader({ ...NAMED, synchronousCommit: "remote_write" })], null, "remote_write"],
  ["no standby left", [leader({ ...NAMED, standbys: 0, synchronousStandbys: 0 })], false, "commits wait until one is"],
  ["no synchronous one", [leader({ ...NAMED, synchronousStandbys: 0 })], false, "commits wait until one is"],
])("durability: %s", (_, hosts, ok, detail) => {
  const found = replicationFindings(hosts).find(({ check }) => check === "database durability");
  expect(found?.ok).toBe(ok);
  expect(found?.detail).toContain(detail);
  expect(found?.fix === undefined).toBe(ok === true);
});

test.each<[string, readonly HostState[], boolean | null, string]>([
  ["all there", [leader(NAMED), STANDBY], true, "h1:5432 leads, h2:5432 is a standby"],
  ["one away", [leader(NAMED), AWAY], null, "h3:5432 does not answer (timeout expired)"],
  ["no leader", [STANDBY, AWAY], false, "no host takes writes"],
  ["two leaders", [leader(NAMED), { ...leader(NAMED), name: "h9:5432" }], false, "2 hosts lead"],
])("hosts: %s", (_, hosts, ok, detail) => {
  const found = replicationFindings(hosts).find(({ check }) => check === "database hosts");
  expect(found?.ok).toBe(ok);
  expect(found?.detail).toContain(detail);
});
