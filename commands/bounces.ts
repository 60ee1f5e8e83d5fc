import type { JsonObject } from "../model/values/json_object.ts";
import { CLIENT_OPTIONS, withApi } from "./api/client.ts";
import { RequestError } from "./api/request.ts";
import type { Command, Invocation } from "./shell/command.ts";
import { readFile } from "./shell/files.ts";
import { option } from "./shell/options.ts";

/** The exit status after which relays try again later: EX_TEMPFAIL of BSD's sysexits. */
const TEMPORARY_STATUS = 75;
// The server's limit. A longer report is cut, because its start contains the reason.
const MAX_BYTES = 1024 * 1024;
const SECRET_PATH = /^\/bounces\/\w{1,100}$/;

const ALIAS_OPTION = option(
  "alias",
  "Exit as relays expect: with 0 for mail that is no report, whose sender would get it back " +
    "otherwise, and with 75 for any failure, so that it is tried again later.",
);

const readCommand: Command = {
  name: "bounces read",
  summary: "Read a mail that reports a bounce or a complaint from standard input",
  options: [ALIAS_OPTION, ...CLIENT_OPTIONS],
  details:
    "Made for an alias of Postfix, or a pipe of another relay. Delivery reports (RFC 3464), " +
    "complaints (RFC 5965) and what mail systems write in plain text are read.\n\n" +
    "Through a server, the key in BOARDCAST_KEY needs webhooks:write.",
  statuses: { 75: "With --alias, it failed: the relay tries again later." },
  example: "boardcast bounces read --alias < mail.eml",
  run: readBounces,
};

/** The commands for bounces and complaints. */
export const bounceCommands: readonly Command[] = [readCommand];

async function readBounces(invocation: Invocation): Promise<number> {
  const { args, terminal } = invocation;
  try {
    const mail = (await readFile("-", MAX_BYTES)).subarray(0, MAX_BYTES);
    await withApi(invocation, { isReading: false, mustExist: true }, async (send) => {
      const address = await send({ method: "GET", path: "/api/v1/changelogs/bounces" });
      const { path } = await address.json();
      // The path is appended to the server's address, and must not change the host.
      if (!SECRET_PATH.test(path)) throw new Error("the server names no path for bounces");
      const response = await send({
        method: "POST",
        path,
        headers: { "Content-Type": "message/rfc822" },
        body: ReadableStream.from([mail]),
      });
      const { unsubscribed, counted, ignored }: JsonObject = await response.json();
      terminal.err(`${unsubscribed} unsubscribed, ${counted} counted, ${ignored} ignored\n`);
    });
    return 0;
  } catch (error) {
    if (!args.flag(ALIAS_OPTION.name)) throw error;
    terminal.err(`boardcast: ${(error as Error).message}\n`);
    const isNoReport = error instanceof RequestError && error.code === "validation_failed";
    return isNoReport ? 0 : TEMPORARY_STATUS;
  }
}
