import { expect, test } from "vitest";
import { BadDatabaseUrl, readDatabaseHosts } from "./database-hosts.ts";

const names = (url: string): readonly string[] => readDatabaseHosts(url).map(({ name }) => name);

test("one host is as it was written", () => {
  const url = "postgres://u:p@db/sluice?sslmode=require";
  expect(readDatabaseHosts(url)).toEqual([{ name: "db:5432", url }]);
  expect(names("postgresql://[::1]:6000/x")).toEqual(["[::1]:6000"]);
  expect(names("postgres:///x?host=/var/run/postgresql")).toEqual(["/var/run/postgresql:5432"]);
});

test("several hosts share everything else", () => {
  expect(readDatabaseHosts("postgres://u:p%40@h1:5432,h2:5433,[fd00::3]/db?application_name=a")).toEqual([
    { name: "h1:5432", url: "postgres://u:p%40@h1:5432/db?application_name=a" },
    { name: "h2:5433", url: "postgres://u:p%40@h2:5433/db?application_name=a" },
    { name: "[fd00::3]:5432", url: "postgres://u:p%40@[fd00::3]/db?application_name=a" },
  ]);
});

test("a comma in a password is no border of hosts", () => {
  expect(readDatabaseHosts("postgres://u:a,b@h1/db")).toEqual([{ name: "h1:5432", url: "postgres://u:a,b@h1/db" }]);
});

test("sixteen hosts are tried, seventeen are refused", () => {
  const many = (count: number): string => Array.from({ length: count }, (_, index) => `h${index}`).join(",");
  expect(names(`postgres://${many(16)}/db`)).toHaveLength(16);
  expect(() => readDatabaseHosts(`postgres://${many(17)}/db`)).toThrow("names 17 hosts; at most 16 are tried");
});

test.each([
  ["mysql://u:hush@h1/db", "must be a postgres:// URL"],
  ["postgres://u:hush@h1,,h2/db", "names no host at place 2 of 3"],
  ["postgres://u:hush@h1,/db", "names no host at place 2 of 2"],
  ["postgres://u:hush@h1,h2:port/db", "host 2 of it"],
  ["postgres://u:hush@h1:70000,h2/db", "host 1 of it"],
  ["postgres://u:hush@h1,h2:5432,h1:5432/db", "names h1:5432 twice"],
  ["postgres://u:hush@h1,h2/db?host=h3", "names hosts twice"],
])("%s is refused with a reason that leaves out the password", (url, reason) => {
  const read = (): unknown => readDatabaseHosts(url);
  expect(read).toThrow(BadDatabaseUrl);
  expect(read).toThrow(reason);
  expect(read).not.toThrow("hush");
});
