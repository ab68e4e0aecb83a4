import { describe, expect, it } from "vitest";
import { classifyAddress, isInBlock, isSameAddress, parseBlock, type AddressKind } from "./address.ts";

const KINDS: readonly (readonly [AddressKind, readonly string[]])[] = [
  ["public", ["1.1.1.1", "9.255.255.255", "11.0.0.0", "126.255.255.255", "128.0.0.0", "8.8.8.8"]],
  ["public", ["100.63.255.255", "100.128.0.0", "169.253.255.255", "169.255.0.0", "172.15.255.255", "172.32.0.0"]],
  ["public", ["192.167.255.255", "192.169.0.0", "192.0.1.0", "192.0.3.0", "198.17.255.255", "198.20.0.0"]],
  ["public", ["223.255.255.255", "168.63.129.15", "168.63.129.17", "2606:4700::1111", "2a00:1450::1", "2003::1"]],
  ["this_network", ["0.0.0.1", "0.255.255.255"]],
  ["unspecified", ["0.0.0.0", "::"]],
  ["private", ["10.0.0.0", "10.255.255.255", "172.16.0.0", "172.31.255.255", "192.168.0.0", "192.168.255.255"]],
  ["shared", ["100.64.0.0", "100.127.255.255", "100.100.100.200"]],
  ["loopback", ["127.0.0.0", "127.0.0.1", "127.255.255.255", "::1", "0:0:0:0:0:0:0:1"]],
  ["link_local", ["169.254.0.0", "169.254.255.255", "fe80::1", "febf::1", "fe80::1%eth0"]],
  ["metadata", ["169.254.169.254", "168.63.129.16", "fd00:ec2::254"]],
  ["multicast", ["224.0.0.0", "239.255.255.255", "ff00::", "ff02::1"]],
  ["broadcast", ["255.255.255.255"]],
  ["documentation", ["192.0.2.1", "198.51.100.1", "203.0.113.255", "2001:db8::1", "3fff::1"]],
  ["benchmarking", ["198.18.0.0", "198.19.255.255", "2001:2::1"]],
  ["reserved", ["192.0.0.1", "192.0.0.192", "192.88.99.1", "240.0.0.0", "255.255.255.254"]],
  ["reserved", ["100::1", "4000::1", "5f00::1", "2001:10::1", "2001:20::1", "3ffe::1", "1::"]],
  ["unique_local", ["fc00::", "fdff:ffff::1"]],
  ["site_local", ["fec0::1", "feff::1"]],
  ["embeds_ipv4", ["::ffff:169.254.169.254", "::ffff:a9fe:a9fe", "::ffff:8.8.8.8", "::7f00:1", "::127.0.0.1"]],
  ["embeds_ipv4", ["2002:7f00:1::", "64:ff9b::7f00:1", "64:ff9b:1::a00:1", "2001:0:4136:e378:8000:63bf:3fff:fdd2"]],
  ["embeds_ipv4", ["2001:470::5efe:10.0.0.1", "2001:470::200:5efe:7f00:1", "::ffff:0:127.0.0.1"]],
  [
    "invalid",
    ["", "localhost", "1.2.3", "01.2.3.4", "256.1.1.1", "1:2:3", ":::", "::g", "127.1", "0x7f.0.0.1", "1.2.3.4/8"],
  ],
];

describe("kind of an address", () => {
  it.each(KINDS)("%s: %j", (kind, addresses) => {
    expect(addresses.map((address) => [address, classifyAddress(address)])).toEqual(
      addresses.map((address) => [address, kind]),
    );
  });
});

describe("block of addresses", () => {
  it.each([
    ["10.0.0.0/8", ["10.0.0.0", "10.255.255.255"], ["9.255.255.255", "11.0.0.0", "::ffff:10.0.0.1"]],
    ["10.1.2.3/16", ["10.1.255.0"], ["10.2.0.0"]],
    ["127.0.0.1", ["127.0.0.1"], ["127.0.0.2"]],
    ["127.0.0.1/32", ["127.0.0.1"], ["127.0.0.2"]],
    ["0.0.0.0/0", ["8.8.8.8", "255.255.255.255"], ["::1"]],
    ["fd00::/8", ["fd00::1", "fdff::"], ["fc00::1", "fe00::1"]],
    ["::/0", ["::1", "ffff::"], ["1.2.3.4"]],
  ])("%s", (text, inside, outside) => {
    const block = parseBlock(text);
    expect(block).not.toBeNull();
    if (block === null) return;
    expect(inside.filter((address) => !isInBlock(block, address))).toEqual([]);
    expect(outside.filter((address) => isInBlock(block, address))).toEqual([]);
  });

  it.each(["10.0.0.0/33", "::/129", "10.0.0.0/", "10.0.0.0/-1", "10.0.0.0/8/8", "a/8", "", "/8", "fe80::1%eth0/64"])(
    "refuses %j",
    (text) => {
      expect(parseBlock(text)).toBeNull();
    },
  );

  it("sees through spellings of one address, and not through embeddings", () => {
    expect(isSameAddress("::1", "0:0::0:1")).toBe(true);
    expect(isSameAddress("::ffff:1.2.3.4", "::ffff:102:304")).toBe(true);
    expect(isSameAddress("1.2.3.4", "::ffff:1.2.3.4")).toBe(false);
    expect(isSameAddress("1.2.3.4/8", "1.2.3.5")).toBe(false);
    expect(isSameAddress("x", "x")).toBe(false);
  });
});
