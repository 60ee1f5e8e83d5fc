import { apiCommand } from "./api/api_command.ts";
import { withApi } from "./api/client.ts";
import type { Command, Invocation } from "./shell/command.ts";
import { JSON_OPTION } from "./api/listing.ts";
import { readFile } from "./shell/files.ts";
import { option } from "./shell/options.ts";
import { type Call, type JsonObject, RequestError } from "./api/request.ts";

// BSD's sysexits, which relays go by: they try again later.
const TEMPORARY_STATUS = 75;
// As much as the server takes; a report says what it has to say at its start.
const MAX_BYTES = 1024 * 1024;

const MAIL = { method: "POST", headers: { "Content-Type": "message/rfc822" } } as const;

const ALIAS_OPTION = option(
  "alias",
  "As relays need it: end with 0 for mail that is no report, whose sender would get it back " +
    "otherwise, and with 75 for any failure, so that it is tried again later.",
  { isOwn: true },
);

const ADDRESS = {
  text: ({ url, path }: JsonObject) => `${url ?? path}\n`,
  details:
    "Providers post what became of mails to this URL. The secret in it stands for a key. Without a " +
    "public URL, it is the path below the address of the server.",
} as const;

/** The commands for bounces and complaints. */
export const bounceCommands: readonly Command[] = [
  apiCommand("bounces url", "getBounceAddress", {
    ...ADDRESS,
    summary: "Print the secret URL to which bounces are posted",
  }),
  apiCommand("bounces rotate", "rotateBounceAddress", {
    ...ADDRESS,
    summary: "Replace the secret URL to which bounces are posted, and print the new one",
    question: () => "Reports to the URL before will be refused. Go on?",
    example: "boardcast bounces rotate --yes",
  }),
  apiCommand("bounces read", "getBounceAddress", {
    summary: "Read a mail that reports a bounce or a complaint from standard input",
    options: [ALIAS_OPTION],
    details:
      "Made for an alias of Postfix, or a pipe of another relay. Delivery reports (RFC 3464), " +
      "complaints (RFC 5965) and what mail systems write in plain text are read.",
    statuses: ["75  With --alias, it failed: the relay tries again later."],
    example: "boardcast bounces read --alias < mail.eml",
    run: readBounces,
  }),
];

async function readBounces(invocation: Invocation, ofAddress: Call): Promise<number> {
  const { args, terminal } = invocation;
  const mail = (await readFile("-", MAX_BYTES)).subarray(0, MAX_BYTES);
  try {
    await withApi(invocation, { isReading: false, mustExist: true }, async (send) => {
      const { path } = await (await send(ofAddress)).json();
      const text = await (await send({ ...MAIL, path, content: ReadableStream.from([mail]) }))
        .text();
      const { unsubscribed, counted, ignored } = JSON.parse(text) as JsonObject;
      if (args.flag(JSON_OPTION.name)) terminal.out(text);
      else {
        terminal.err(`${unsubscribed} unsubscribed, ${counted} counted, ${ignored} ignored\n`);
      }
    });
    return 0;
  } catch (error) {
    if (!args.flag(ALIAS_OPTION.name)) throw error;
    terminal.err(`boardcast: ${(error as Error).message}\n`);
    const isNoReport = error instanceof RequestError && error.code === "validation_failed";
    return isNoReport ? 0 : TEMPORARY_STATUS;
  }
}
