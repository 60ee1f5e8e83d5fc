import type { Mailer } from "../../delivery/mail/mailer.ts";
import { openSmtpMailer, type SmtpMailerOptions } from "../../delivery/mail/smtp.ts";
import { type AddressInfo, createServer, type Socket } from "node:net";
import { until } from "./waiting.ts";

/**
 * An action of a relay at a step: it replies, stays silent from then on, or closes the connection.
 */
export type Action = { readonly say: string } | "hang" | "close";

/** A step of a session: the greeting, a command by its verb, or the end of a message. */
export type Step = keyof typeof REPLIES;

/**
 * Returns the action at a step of a connection, counted from 0; `undefined` for the reply that
 * accepts mail. `recipient` is the address at `RCPT`, and empty at other steps.
 */
export type Script = (step: Step, connection: number, recipient: string) => Action | undefined;

/** A relay without TLS that follows a script, and keeps a ledger of what it took. */
export type ScriptedRelay = Awaited<ReturnType<typeof startScriptedRelay>>;

/** The steps at which a relay can fail while it takes a mail. */
export const STEPS: readonly Step[] = ["greeting", "EHLO", "MAIL", "RCPT", "DATA", "."];

// The short timeout makes faults show soon.
const TIMEOUT_MS = 5_000;
const REPLIES = {
  greeting: "220 relay",
  EHLO: "250-relay\r\n250 PIPELINING",
  STARTTLS: "220 go",
  MAIL: "250 ok",
  RCPT: "250 ok",
  DATA: "354 go",
  ".": "250 ok",
  RSET: "250 ok",
  QUIT: "221 bye",
};

/**
 * Starts a relay that follows a script; by default, it takes every mail. Other commands are
 * answered by `commandReplies`.
 */
export async function startScriptedRelay(
  script: Script = () => undefined,
  commandReplies: Readonly<Record<string, (line: string) => string>> = {},
) {
  const commands: string[][] = [];
  const ledger: string[] = [];
  const sockets = new Set<Socket>();

  const server = createServer((socket) => {
    const connection = commands.push([]) - 1;
    let unread = "";
    let recipient = "";
    let isInMessage = false;
    let isSilent = false;
    sockets.add(socket);
    // Clients that give up a connection, or are killed, cause errors.
    socket.on("error", () => {});
    socket.once("close", () => void sockets.delete(socket));
    socket.setNoDelay(true).setEncoding("latin1");

    function act(step: Step, argument = ""): void {
      if (isSilent || !(step in REPLIES)) return;
      const usual = step === "DATA" && recipient === "" ? "503 no recipient" : REPLIES[step];
      const action = script(step, connection, argument) ?? { say: usual };
      if (action === "close") socket.destroy();
      else if (action === "hang") isSilent = true;
      else {
        const isTaken = action.say.startsWith("2");
        if (step === "RCPT") recipient = isTaken ? argument : "";
        if (step === "." && isTaken) ledger.push(recipient);
        socket.write(`${action.say}\r\n`);
        isInMessage = action.say.startsWith("354");
        if (action.say.startsWith("421") || step === "QUIT") socket.end();
      }
    }

    act("greeting");
    socket.on("data", (chunk: string) => {
      unread += chunk;
      for (let end; (end = unread.indexOf("\r\n")) >= 0;) {
        const line = unread.slice(0, end);
        unread = unread.slice(end + 2);
        if (isInMessage && line !== ".") continue;
        if (line !== ".") commands[connection].push(line);
        const answer = commandReplies[line.split(" ", 1)[0]];
        if (answer !== undefined) {
          socket.write(`${answer(line)}\r\n`);
          continue;
        }
        act(line.split(" ", 1)[0] as Step, /^RCPT TO:<(.*)>/.exec(line)?.[1]);
      }
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    /** The URL for a mailer. */
    url: `smtp://127.0.0.1:${(server.address() as AddressInfo).port}?tls=off`,
    /** The command lines of each connection, without the lines of messages. */
    commands,
    /** The recipients of accepted mails, in order. */
    ledger,
    /** How many connections are open. */
    get open() {
      return sockets.size;
    },
    /** Resolves when the relay has taken `count` mails. */
    reached(count: number, deadlineMs?: number): Promise<void> {
      return until(() => ledger.length >= count, deadlineMs);
    },
    /** Resolves when `count` connections are closed. */
    closed(count: number): Promise<void> {
      return until(() => commands.length - sockets.size >= count);
    },
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** Calls a function with a mailer for a scripted relay, with login and TLS on request. */
export async function withRelay(
  script: Script,
  use: (mailer: Mailer, relay: ScriptedRelay) => Promise<void>,
  { isSecure = false, ...options }: SmtpMailerOptions & { readonly isSecure?: boolean } = {},
): Promise<void> {
  await using relay = await startScriptedRelay(script);
  const url = isSecure ? relay.url.replace(/\/\/(.*)\?.*/, "//ann:secret@$1") : relay.url;
  const mailer = openSmtpMailer(url, { timeoutMs: TIMEOUT_MS, ...options });
  await use(mailer, relay).finally(() => mailer.close());
}
