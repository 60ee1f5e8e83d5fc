import { nearest } from "../model/values/nearest.ts";
import { formatNdjson, quote } from "../model/values/text.ts";
import type { OpenApi } from "../routes/operator/openapi/types.ts";
import { describeOperation, operationList } from "./api/call_help.ts";
import { CLIENT_OPTIONS, describedApi, TIME_ZONE_OPTION, withApi } from "./api/client.ts";
import { type CallOperation, readOperations } from "./api/operations.ts";
import type { Call, SendRequest } from "./api/request.ts";
import { printContent, readListing } from "./api/responses.ts";
import { readCall } from "./api/values.ts";
import type { Command, Invocation } from "./shell/command.ts";
import { printable } from "./shell/layout.ts";
import { setting, UsageError } from "./shell/options.ts";

/** Calls any operation of the API. */
export const callCommand: Command = {
  name: "call",
  summary: "Call any operation of the API, or list all of them",
  positionals: ["[OPERATION]", "[FIELD=VALUE…]"],
  options: [
    setting("public-url https://…", "With storage: the public URL that some operations need."),
    TIME_ZONE_OPTION,
    ...CLIENT_OPTIONS,
  ],
  details:
    "Without OPERATION, lists the operations. boardcast call OPERATION --help shows the fields of one. " +
    "Fields of the path, the query and the body are all given as FIELD=VALUE.\n\n" +
    "FIELD=@FILE reads the value from a file, FIELD=@- from standard input; @@ stands for an @ at the " +
    "start of a value. An empty value clears a field that may be empty. If the body is a file, write body=@FILE. The ending of its name tells the " +
    "media type, or type=MEDIA/TYPE does.\n\n" +
    "Prints the response of the API. A listing is printed as one line of JSON for each record. All its " +
    "pages are read, unless limit is given.",
  example: "boardcast call createBoard boardId=ideas name=Ideas",
  run: call,
  help: showHelp,
};

async function call(invocation: Invocation): Promise<number> {
  const { args: { positionals: [name, ...words] }, terminal } = invocation;
  if (name === undefined) {
    const api = await readDescription(invocation, { needsKey: false });
    terminal.out(printable(operationList(api.tags, readOperations(api))));
    return 0;
  }
  const api = await readDescription(invocation, { needsKey: true });
  const operation = findOperation(readOperations(api), name);
  const request = await readCall(operation, words);
  const isReading = operation.method === "GET";
  // An operation whose path names a record needs existing data.
  const mustExist = isReading || operation.path.includes("{");
  await withApi(invocation, { isReading, mustExist, flags: {} }, async (send) => {
    if (operation.isListing) await printListing(invocation, { send, request });
    else await printContent(terminal, await send(request));
  });
  return 0;
}

async function showHelp(invocation: Invocation): Promise<string> {
  const { args: { positionals: [name] } } = invocation;
  const operations = readOperations(await readDescription(invocation, { needsKey: false }));
  return printable(describeOperation(findOperation(operations, name)));
}

/** Reads the OpenAPI description of the server that is called. */
async function readDescription(
  invocation: Invocation,
  options: { readonly needsKey: boolean },
): Promise<OpenApi> {
  const send = await describedApi(invocation, options);
  const response = await send({ method: "GET", path: "/openapi.json" });
  const api = await response.json().catch(() => undefined);
  if (Array.isArray(api?.tags) && typeof api.paths === "object") return api;
  throw new Error("the server does not describe its operations: is it the right address?");
}

function findOperation(operations: readonly CallOperation[], name: string): CallOperation {
  const found = operations.find(({ operationId }) => operationId === name);
  if (found !== undefined) return found;
  const meant = nearest(name, operations.map(({ operationId }) => operationId));
  const hint = meant === undefined
    ? "boardcast call lists them, and --public-url adds some"
    : `did you mean ${meant}?`;
  throw new UsageError(`there is no operation ${quote(name)}: ${hint}`);
}

async function printListing(
  { terminal }: Invocation,
  { send, request }: { readonly send: SendRequest; readonly request: Call },
): Promise<void> {
  if (request.query?.limit === undefined) {
    for await (const page of readListing(send, request)) terminal.out(formatNdjson(page));
    return;
  }
  const { data, nextCursor } = await (await send(request)).json();
  terminal.out(formatNdjson(data));
  if (nextCursor !== null) {
    terminal.err(`The next page starts at cursor=${printable(nextCursor)}\n`);
  }
}
