import { encodeBase64 } from "../../../model/crypto/encoding.ts";
import { isIPv6 } from "node:net";
import { MailerError } from "../mailer.ts";
import type { Connection } from "./connection.ts";
import { type SmtpReply, toCodes, toMailerError } from "./replies.ts";
import type { SmtpRelay } from "./relay.ts";

/** Names of service extensions in capitals, each with its parameters (RFC 5321, section 4.1.1.1). */
export type Extensions = ReadonlyMap<string, string>;

/**
 * Greets a relay, starts TLS where that is asked for, logs in, and returns what the relay can do.
 * Rejects with a `MailerError` if any of it fails.
 */
export async function greet(
  connection: Connection,
  { tls, login }: Pick<SmtpRelay, "tls" | "login">,
): Promise<Extensions> {
  requireCode(220, await connection.read(), "takes no connections");
  let extensions = await sayHello(connection);
  if (tls === "starttls") {
    if (!extensions.has("STARTTLS")) {
      throw new MailerError("The mail relay offers no TLS: it does not know STARTTLS");
    }
    requireCode(220, await connection.startTls(), "does not start TLS");
    extensions = await sayHello(connection);
  }
  if (login !== undefined) await logIn(connection, extensions, login);
  return extensions;
}

async function sayHello(connection: Connection): Promise<Extensions> {
  const { localAddress } = connection;
  const literal = isIPv6(localAddress) ? `[IPv6:${localAddress}]` : `[${localAddress}]`;
  const reply = await ask(connection, `EHLO ${literal}`);
  requireCode(250, reply, "refused EHLO");
  return new Map(
    reply.lines.slice(1).map((line) => {
      const [name, ...parameters] = line.toUpperCase().split(" ");
      return [name, parameters.join(" ")];
    }),
  );
}

async function logIn(
  connection: Connection,
  extensions: Extensions,
  { user, password }: NonNullable<SmtpRelay["login"]>,
): Promise<void> {
  const mechanisms = extensions.get("AUTH")?.split(" ") ?? [];
  let reply: SmtpReply;
  if (mechanisms.includes("PLAIN")) {
    reply = await ask(connection, `AUTH PLAIN ${encodeBase64(`\0${user}\0${password}`)}`);
  } else if (mechanisms.includes("LOGIN")) {
    reply = await ask(connection, "AUTH LOGIN");
    for (const text of [user, password]) {
      if (reply.code === 334) reply = await ask(connection, encodeBase64(text));
    }
  } else {
    throw new MailerError("The mail relay offers no login by PLAIN or LOGIN");
  }
  // Without the text, which may repeat what was sent.
  if (reply.code !== 235) {
    throw new MailerError(`The mail relay refused the login: ${toCodes(reply)}`);
  }
}

async function ask(connection: Connection, command: string): Promise<SmtpReply> {
  connection.write(`${command}\r\n`);
  return await connection.read();
}

function requireCode(code: number, reply: SmtpReply, fault: string): void {
  if (reply.code !== code) throw toMailerError(fault, reply);
}
