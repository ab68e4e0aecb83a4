/** The form of a page, filled in and sent as a browser would. */
export async function fillForm(url: string, answers: Readonly<Record<string, string>>): Promise<Response> {
  return sendForm(url, { ...(await hiddenFields(url)), ...answers });
}

export async function hiddenFields(url: string): Promise<Readonly<Record<string, string>>> {
  const text = await (await fetch(url)).text();
  const hidden = [...text.matchAll(/<input type="hidden" name="(\w+)" value="([^"]*)"/g)];
  return Object.fromEntries(hidden.map(([, name = "", value = ""]): [string, string] => [name, value]));
}

export function sendForm(url: string, fields: Readonly<Record<string, string>>): Promise<Response> {
  return fetch(url, { method: "POST", body: new URLSearchParams(fields), redirect: "manual" });
}
