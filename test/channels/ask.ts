/** A workflow that asks Ann whether a letter may be sent; `rest` is written below its step. */
export function askAbout(letter: string, rest: string): string {
  return `name: ask
args:
  letter: { type: string, default: ${JSON.stringify(letter)} }
steps:
  - id: decide
    name: "Send the letter?"
    approval: required
    approvers: ["user:ann@example.com"]
    show: [{ label: Letter, markdown: "\${letter}" }]
${rest}
`;
}
