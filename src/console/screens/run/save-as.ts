/** Saves a text with the browser's download. */
export function saveAs(name: string, text: string): void {
  const url = URL.createObjectURL(new Blob([text], { type: "application/json" }));
  download(name, url);
  URL.revokeObjectURL(url);
}

/** Downloads an address of this server. */
export function download(name: string, url: string): void {
  const link = document.createElement("a");
  link.href = url;
  link.download = name;
  link.click();
}
