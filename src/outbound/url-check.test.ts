import { describe, expect, it } from "vitest";
import { createAllowList } from "./allow-list.ts";
import { checkUrl, checkUrlText } from "./url-check.ts";

const NAMES: ReadonlyMap<string, readonly string[]> = new Map([
  ["public.example", ["93.184.216.34"]],
  ["both.example", ["93.184.216.34", "10.0.0.1"]],
  ["six.example", ["2606:4700::1111", "::ffff:10.0.0.1"]],
  ["inside.example", ["10.0.0.1"]],
  ["odd.example", ["169.254.169.254"]],
  ["empty.example", []],
  ["localhost", ["127.0.0.1"]],
  ["xn--exmple-cua.com", ["93.184.216.34"]],
]);

async function check(text: string, allow: readonly string[] = [], isListOnly = false): Promise<string> {
  const read = checkUrlText(text);
  if (!read.ok) return read.failure.code;
  const list = createAllowList(allow);
  if (!list.ok) return list.failure;
  const resolve = (host: string): Promise<readonly string[]> => {
    const found = NAMES.get(host);
    return found === undefined ? Promise.reject(new Error("ENOTFOUND")) : Promise.resolve(found);
  };
  const checked = await checkUrl(read.value, { allow: list.value, isListOnly, resolve });
  return checked.ok ? checked.value.addresses.join(" ") : checked.failure.code;
}

describe("URLs that are not listed", () => {
  it.each([
    ["url_scheme", "file:///etc/passwd gopher://x/ data:text/plain,x javascript:alert(1) ftp://x/ ws://x/"],
    ["url_private", "http://127.0.0.1 http://localhost http://localhost. http://LOCALHOST http://a.localhost"],
    ["url_private", "http://2130706433 http://0x7f000001 http://0177.0.0.1 http://127.1 http://127.0.0.1. http://0"],
    [
      "url_private",
      "http://[::1] http://[::] http://0.0.0.0 http://[0:0:0:0:0:0:0:1] http://１２７.0.0.1 http://127。0。0。1",
    ],
    ["url_private", "http://[::ffff:169.254.169.254] http://[::ffff:8.8.8.8] http://[64:ff9b::7f00:1]"],
    [
      "url_private",
      "http://[2002:7f00:1::] http://[2001:0:4136:e378:8000:63bf:3fff:fdd2] http://[2001:470::5efe:10.0.0.1]",
    ],
    ["url_private", "http://169.254.169.254/latest http://metadata.google.internal http://metadata.google.internal./"],
    [
      "url_private",
      "http://10.1.1.1 http://172.16.1.1 http://192.168.1.1 http://100.64.0.1 http://[fc00::1] http://[fe80::1]",
    ],
    [
      "url_private",
      "http://both.example http://six.example http://inside.example https://odd.example http://10.0.0.1:22",
    ],
    ["url_port", "http://public.example:22 http://public.example:5432 http://1.1.1.1:6379 https://public.example:8443"],
    ["url_credentials", "http://a:b@public.example http://a@public.example http://:b@public.example"],
    [
      "url_host",
      "http:// http://./ public.example /path http://a..b:x http://exämple.com https://[::1 http://1.2.3.4.5",
    ],
    ["url_unreachable", "http://unknown.example http://empty.example"],
    [
      "93.184.216.34",
      "http://public.example https://public.example http://public.example:443 https://public.example.:80",
    ],
    ["1.1.1.1", "http://1.1.1.1 http://0x01010101 http://1.1.1.1./"],
  ])("%s: %s", async (expected, urls) => {
    const found = await Promise.all(urls.split(" ").map(async (url) => [url, await check(url)]));
    expect(found).toEqual(urls.split(" ").map((url) => [url, expected]));
  });
});

describe("the allow list", () => {
  it.each([
    ["http://inside.example", ["inside.example"], "10.0.0.1"],
    ["http://inside.example.:9999", ["INSIDE.example"], "10.0.0.1"],
    ["http://inside.example:8080", ["inside.example:8080"], "10.0.0.1"],
    ["http://inside.example:8081", ["inside.example:8080"], "url_port"],
    ["http://inside.example", ["inside.example:8080"], "url_private"],
    ["http://inside.example:8080", ["10.0.0.0/8"], "10.0.0.1"],
    ["http://both.example", ["10.0.0.0/8"], "93.184.216.34 10.0.0.1"],
    ["http://both.example:8080", ["10.0.0.0/8"], "url_port"],
    ["http://inside.example", ["10.0.0.1"], "url_private"],
    ["http://10.0.0.1:70", ["10.0.0.1"], "10.0.0.1"],
    ["http://[::1]:70", ["[::1]:70"], "::1"],
    ["http://[::1]:70", ["::1"], "::1"],
    ["http://[::1]:71", ["[::1]:70"], "url_private"],
    ["http://localhost:70", ["localhost:70"], "127.0.0.1"],
    ["http://localhost:70", ["127.0.0.0/8"], "127.0.0.1"],
    ["http://odd.example", ["odd.example"], "url_private"],
    ["http://odd.example", ["odd.example", "169.254.169.254/32"], "169.254.169.254"],
    ["http://[::ffff:10.0.0.1]", ["10.0.0.0/8"], "url_private"],
    ["http://public.example:22", ["public.example:22"], "93.184.216.34"],
    ["http://xn--exmple-cua.com", ["exämple.com"], "93.184.216.34"],
    ["http://evil-inside.example", ["inside.example"], "url_unreachable"],
  ])("%s with %j: %s", async (url, allow, expected) => {
    expect(await check(url, allow)).toBe(expected);
  });

  it("can be all there is", async () => {
    expect(await check("http://public.example", [], true)).toBe("url_host");
    expect(await check("http://public.example", ["public.example"], true)).toBe("93.184.216.34");
    expect(await check("http://public.example", ["93.184.0.0/16"], true)).toBe("93.184.216.34");
    expect(await check("http://inside.example", [], true)).toBe("url_private");
  });

  it.each([
    "",
    " ",
    "a b",
    "http://a",
    "a:0",
    "a:65536",
    "a:x",
    "*.example",
    "a/b",
    "10.0.0.0/40",
    "u@a",
    "[::1",
    "a?b",
    "a#b",
  ])("refuses the entry %j", (entry) => {
    expect(createAllowList(["fine.example", entry])).toMatchObject({ ok: false });
  });

  it.each(["a:1", "a:65535"])("takes the entry %j", (entry) => {
    expect(createAllowList([entry]).ok).toBe(true);
  });
});
