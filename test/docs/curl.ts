/** As much of curl as pages show. */
export async function curl(argv: readonly string[]): Promise<{ code: number; out: string; all: string }> {
  const headers: Record<string, string> = {};
  let method: string | null = null;
  let body: string | null = null;
  let url = "";
  for (let at = 0; at < argv.length; at += 1) {
    const word = argv[at] ?? "";
    const next = (): string => argv[(at += 1)] ?? "";
    if (word === "-s" || word === "-N" || word === "-sN") continue;
    if (word === "-X") method = next();
    else if (word === "-H") {
      const [name = "", ...value] = next().split(":");
      headers[name.trim()] = value.join(":").trim();
    } else if (word === "--json") {
      body = next();
      headers["content-type"] = "application/json";
    } else if (word.startsWith("-")) throw new Error(`curl ${word} is not known here`);
    else url = word;
  }
  const request = { method: method ?? (body === null ? "GET" : "POST"), headers, ...(body === null ? {} : { body }) };
  const response = await fetch(url, request);
  const out = await response.text();
  return { code: 0, out, all: out };
}
