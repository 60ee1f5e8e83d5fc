import type { Mailer } from "../delivery/mailer.ts";
import { openSmtpMailer, type SmtpMailerOptions } from "../delivery/smtp.ts";
import { type AddressInfo, createServer, type Socket } from "node:net";

/** What a relay does at a step: it says something, keeps silent from then on, or hangs up. */
export type Action = { readonly say: string } | "hang" | "close";

/** A step of a session: the greeting, a command by its verb, or the end of a message. */
export type Step =
  | "greeting"
  | "EHLO"
  | "STARTTLS"
  | "MAIL"
  | "RCPT"
  | "DATA"
  | "."
  | "RSET"
  | "QUIT";

/** Says what to do at a step of a connection, counted from 0; `undefined`: what takes mail. */
export type Script = (step: Step, connection: number) => Action | undefined;

/** A relay without TLS that follows a script. */
export interface ScriptedRelay extends AsyncDisposable {
  readonly port: number;
  /** The lines that it was sent by each connection, those of messages aside. */
  readonly commands: readonly (readonly string[])[];
  /** Resolves when so many connections are closed. */
  closed(count: number): Promise<void>;
}

/** The steps at which a relay can fail while it takes a mail. */
export const STEPS: readonly Step[] = ["greeting", "EHLO", "MAIL", "RCPT", "DATA", "."];

// So that a fault shows soon.
const TIMEOUT_MS = 5_000;
const REPLIES: Readonly<Record<Step, string>> = {
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

/** Starts a relay that follows a script. */
export async function startScriptedRelay(script: Script): Promise<ScriptedRelay> {
  const commands: string[][] = [];
  const sockets = new Set<Socket>();
  let closedCount = 0;
  let notify = () => {};

  const server = createServer((socket) => {
    const connection = commands.push([]) - 1;
    let unread = "";
    let isInMessage = false;
    sockets.add(socket);
    // Clients reset connections that they have given up.
    socket.on("error", () => {});
    socket.once("close", () => {
      sockets.delete(socket);
      closedCount++;
      notify();
    });

    let isSilent = false;
    let hasRecipient = false;

    function act(step: Step): void {
      if (isSilent || !(step in REPLIES)) return;
      const usual = step === "DATA" && !hasRecipient ? "503 no recipient" : REPLIES[step];
      const action = script(step, connection) ?? { say: usual };
      if (action === "close") socket.destroy();
      else if (action === "hang") isSilent = true;
      else {
        if (step === "RCPT") hasRecipient = action.say.startsWith("2");
        socket.write(`${action.say}\r\n`);
        isInMessage = action.say.startsWith("354");
        if (action.say.startsWith("421") || step === "QUIT") socket.end();
      }
    }

    act("greeting");
    socket.on("data", (chunk: Uint8Array) => {
      unread += new TextDecoder().decode(chunk);
      for (let end; (end = unread.indexOf("\r\n")) >= 0;) {
        const line = unread.slice(0, end);
        unread = unread.slice(end + 2);
        if (isInMessage && line !== ".") continue;
        if (line !== ".") commands[connection].push(line);
        act(line.split(" ", 1)[0] as Step);
      }
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    port: (server.address() as AddressInfo).port,
    commands,
    async closed(count) {
      while (closedCount < count) await new Promise<void>((resolve) => notify = resolve);
    },
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** Sends mail to a relay that follows a script. */
export async function withRelay(
  script: Script,
  use: (mailer: Mailer, relay: ScriptedRelay) => Promise<void>,
  options: SmtpMailerOptions = {},
): Promise<void> {
  await using relay = await startScriptedRelay(script);
  const mailer = openSmtpMailer(`smtp://127.0.0.1:${relay.port}?tls=off`, {
    timeoutMs: TIMEOUT_MS,
    ...options,
  });
  try {
    await use(mailer, relay);
  } finally {
    await mailer.close();
  }
}
