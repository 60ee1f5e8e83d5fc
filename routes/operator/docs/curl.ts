/** A request to show as an example. */
export interface SampleRequest {
  readonly method: string;
  readonly url: string;
  readonly needsKey: boolean;
  /** The fields of a form. */
  readonly form?: Readonly<Record<string, string>>;
  readonly text?: { readonly contentType: string; readonly content: string };
  /** The file that is the body. */
  readonly file?: { readonly contentType: string; readonly name: string } | undefined;
  /** Whether the response is a file to save. */
  readonly isSaved: boolean;
}

/** Writes a request as a call of `curl`. */
export function writeCurl(
  { method, url, needsKey, form = {}, text, file, isSaved }: SampleRequest,
): string {
  const quote = (text: string) => `'${text.replaceAll("'", `'\\''`)}'`;
  const verb = method === "GET" ? "" : `-X ${method} `;
  const lines = [`curl ${verb}${isSaved ? "-O " : ""}${quote(url)}`];
  if (needsKey) lines.push('-H "Authorization: Bearer $KEY"');
  for (const [name, value] of Object.entries(form)) {
    lines.push(`--data-urlencode ${quote(`${name}=${value}`)}`);
  }
  if (text) lines.push(`-H 'Content-Type: ${text.contentType}'`, `-d ${quote(text.content)}`);
  if (file) lines.push(`-H 'Content-Type: ${file.contentType}'`, `--data-binary @${file.name}`);
  return lines.join(" \\\n  ");
}
