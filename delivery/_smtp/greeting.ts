import { encodeBase64 } from "@std/encoding/base64";
import { isIPv6 } from "node:net";
import { MailerError } from "../mailer.ts";
import type { Channel } from "./channel.ts";
import { type Reply, toCodes, toMailerError } from "./replies.ts";
import type { SmtpRelay } from "./relay.ts";

/** Names of service extensions in capitals, each with its parameters (RFC 5321, section 4.1.1.1). */
export type Extensions = ReadonlyMap<string, string>;

/**
 * Greets a relay, starts TLS where that is asked for, logs in, and returns what the relay can do.
 * Rejects with a `MailerError` if any of it fails.
 */
export async function greet(
  channel: Channel,
  { tls, login }: Pick<SmtpRelay, "tls" | "login">,
): Promise<Extensions> {
  requireCode(220, await channel.read(), "takes no connections");
  let extensions = await sayHello(channel);
  if (tls === "starttls") {
    if (!extensions.has("STARTTLS")) {
      throw new MailerError("The mail relay offers no TLS: it does not know STARTTLS");
    }
    requireCode(220, await channel.startTls(), "does not start TLS");
    extensions = await sayHello(channel);
  }
  if (login !== undefined) await logIn(channel, extensions, login);
  return extensions;
}

async function sayHello(channel: Channel): Promise<Extensions> {
  const { localAddress } = channel;
  const literal = isIPv6(localAddress) ? `[IPv6:${localAddress}]` : `[${localAddress}]`;
  const reply = await ask(channel, `EHLO ${literal}`);
  requireCode(250, reply, "refused EHLO");
  return new Map(
    reply.lines.slice(1).map((line) => {
      const [name, ...parameters] = line.toUpperCase().split(" ");
      return [name, parameters.join(" ")];
    }),
  );
}

async function logIn(
  channel: Channel,
  extensions: Extensions,
  { user, password }: NonNullable<SmtpRelay["login"]>,
): Promise<void> {
  const mechanisms = extensions.get("AUTH")?.split(" ") ?? [];
  let reply: Reply;
  if (mechanisms.includes("PLAIN")) {
    reply = await ask(channel, `AUTH PLAIN ${toBase64(`\0${user}\0${password}`)}`);
  } else if (mechanisms.includes("LOGIN")) {
    reply = await ask(channel, "AUTH LOGIN");
    for (const text of [user, password]) {
      if (reply.code === 334) reply = await ask(channel, toBase64(text));
    }
  } else {
    throw new MailerError("The mail relay offers no login by PLAIN or LOGIN");
  }
  // Without the text, which may repeat what was sent.
  if (reply.code !== 235) {
    throw new MailerError(`The mail relay refused the login: ${toCodes(reply)}`);
  }
}

function toBase64(text: string): string {
  return encodeBase64(text);
}

async function ask(channel: Channel, command: string): Promise<Reply> {
  channel.write(`${command}\r\n`);
  return await channel.read();
}

function requireCode(code: number, reply: Reply, fault: string): void {
  if (reply.code !== code) throw toMailerError(fault, reply);
}
