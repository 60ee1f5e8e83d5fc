/** A request for which samples are written in several languages. */
export interface SampleRequest {
  readonly method: string;
  readonly url: string;
  readonly needsKey: boolean;
  /** The fields of a form. */
  readonly form?: Readonly<Record<string, string>>;
  readonly text?: { readonly contentType: string; readonly content: string };
  /** The file that is the body. */
  readonly file?: { readonly contentType: string; readonly name: string } | undefined;
  /** The format of the response; absent for no content. */
  readonly response?: "json" | "text" | "bytes" | undefined;
}

/** A request in one language; its `id` is part of identifiers and classes. */
export interface Sample {
  readonly id: string;
  readonly language: string;
  readonly code: string;
}

const NODE_FILES = "node:fs/promises";

/** The languages of samples. */
export const SAMPLE_LANGUAGES = [
  { id: "curl", language: "curl", write: writeCurl },
  { id: "js", language: "JavaScript", write: writeJavaScript },
  { id: "python", language: "Python", write: writePython },
] as const;

/** Writes a request for a shell, JavaScript and Python with their standard libraries. */
export function writeSamples(request: SampleRequest): readonly Sample[] {
  return SAMPLE_LANGUAGES.map(({ write, ...language }) => ({ ...language, code: write(request) }));
}

function writeCurl(
  { method, url, needsKey, form, text, file, response }: SampleRequest,
): string {
  const quote = (text: string) => `'${text.replaceAll("'", `'\\''`)}'`;
  return [
    `curl ${method === "GET" ? "" : `-X ${method} `}${response === "bytes" ? "-O " : ""}${
      quote(url)
    }`,
    ...(needsKey ? ['-H "Authorization: Bearer $KEY"'] : []),
    ...Object.entries(form ?? {}).map(([name, value]) =>
      `--data-urlencode ${quote(`${name}=${value}`)}`
    ),
    ...(text ? [`-H 'Content-Type: ${text.contentType}'`, `-d ${quote(text.content)}`] : []),
    ...(file ? [`-H 'Content-Type: ${file.contentType}'`, `--data-binary @${file.name}`] : []),
  ].join(" \\\n  ");
}

function writeJavaScript(
  { method, url, needsKey, form, text, file, response }: SampleRequest,
): string {
  const type = text?.contentType ?? file?.contentType;
  const headers = [
    ...(needsKey ? ["Authorization: `Bearer ${process.env.KEY}`"] : []),
    ...(type ? [`"Content-Type": "${type}"`] : []),
  ];
  const init = writeLines([
    method !== "GET" && `method: "${method}"`,
    headers.length > 0 && `headers: { ${headers.join(", ")} }`,
    form && `body: new URLSearchParams({\n${writeEntries(form, "    ", (name) => name)}  })`,
    text && `body: ${JSON.stringify(text.content)}`,
    file && `body: await readFile(${JSON.stringify(file.name)})`,
  ], "  ");
  // Node does not end before the content has been read.
  const read = {
    json: ", await response.json()",
    text: ", await response.text()",
    bytes: ", (await response.arrayBuffer()).byteLength",
  };
  const shown = `response.status${response ? read[response] : ""}`;
  const rest = init === "" ? "" : `, {\n${init}}`;
  const first = file ? `import { readFile } from "${NODE_FILES}";\n\n` : "";
  return `${first}const response = await fetch(${
    JSON.stringify(url)
  }${rest});\nconsole.log(${shown});`;
}

function writePython(
  { method, url, needsKey, form, text, file, response }: SampleRequest,
): string {
  const type = text?.contentType ?? file?.contentType;
  const headers = [
    ...(needsKey ? [`"Authorization": "Bearer " + os.environ["KEY"]`] : []),
    ...(type ? [`"Content-Type": "${type}"`] : []),
  ];
  const imports = [
    ...(response === "json" ? ["import json"] : []),
    ...(needsKey ? ["import os"] : []),
    ...(form ? ["from urllib.parse import urlencode"] : []),
    "from urllib.request import Request, urlopen",
  ].join("\n");
  const request = writeLines([
    JSON.stringify(url),
    method !== "GET" && `method="${method}"`,
    headers.length > 0 && `headers={${headers.join(", ")}}`,
    form && `data=urlencode({\n${writeEntries(form, "        ", JSON.stringify)}    }).encode()`,
    text && `data=${JSON.stringify(text.content)}.encode()`,
    file && `data=open(${JSON.stringify(file.name)}, "rb").read()`,
  ], "    ");
  const read = {
    json: ", json.load(response)",
    text: ", response.read().decode()",
    bytes: ", len(response.read())",
  };
  const shown = `response.status${response ? read[response] : ""}`;
  return `${imports}

request = Request(
${request})
with urlopen(request) as response:
    print(${shown})`;
}

function writeLines(parts: readonly (string | false | undefined)[], indent: string): string {
  return parts.map((part) => part ? `${indent}${part},\n` : "").join("");
}

// String literals of JSON are valid in both languages.
function writeEntries(
  form: Readonly<Record<string, string>>,
  indent: string,
  writeName: (name: string) => string,
): string {
  return Object.entries(form).map(([name, value]) =>
    `${indent}${writeName(name)}: ${JSON.stringify(value)},\n`
  ).join("");
}
