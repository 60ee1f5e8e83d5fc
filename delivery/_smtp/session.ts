import { Buffer } from "node:buffer";
import { isIPv6 } from "node:net";
import { MailerError, type SendOutcome } from "../mailer.ts";
import type { Channel } from "./channel.ts";
import { type Reply, toCodes, toMailerError, toOutcome } from "./replies.ts";
import type { SmtpTarget } from "./target.ts";

/** A message, as ASCII text with CRLF at the ends of lines, and its way. */
export interface Envelope {
  readonly from: string;
  readonly to: string;
  readonly message: string;
}

/** A connection to a relay that takes mail, one at a time. */
export interface Session {
  /** Whether it can take another mail. */
  readonly isReusable: boolean;
  /** Whether the relay let go of it before it was given any of the last message. */
  readonly isStale: boolean;
  /** Sends a mail, as `Mailer.send` does. */
  transmit(envelope: Envelope): Promise<SendOutcome>;
  /** Says goodbye and closes the connection. */
  quit(): void;
}

/** A command that was refused, and the reply to it. */
interface Refused {
  readonly command: string;
  readonly reply: Reply;
}

/** Names of service extensions in capitals, each with its parameters (RFC 5321, section 4.1.1.1). */
type Extensions = ReadonlyMap<string, string>;

const DATA = "DATA\r\n";
const SENT: SendOutcome = { state: "sent" };
const TOO_LARGE: SendOutcome = {
  state: "refused",
  code: "5.3.4",
  text: "The mail is larger than the relay takes",
};
// RFC 5321, section 4.5.3.2.6: a relay that is given up too early has sent the mail all the same.
const PATIENCE_AT_THE_END = 10;

/**
 * Starts a session: greeting, TLS where it is to be started, login. Rejects with a `MailerError` if
 * any of that fails.
 */
export async function startSession(
  channel: Channel,
  { tls, login }: Pick<SmtpTarget, "tls" | "login">,
): Promise<Session> {
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
  return createSession(channel, extensions);
}

function createSession(channel: Channel, extensions: Extensions): Session {
  const isPipelined = extensions.has("PIPELINING");
  const maxBytes = Number(extensions.get("SIZE"));
  let isInTransaction = false;
  let isContentSent = false;
  let isDismissed = false;

  /** Sends commands up to the first that is refused; returns that one. */
  async function send(commands: readonly string[]): Promise<Refused | undefined> {
    if (isPipelined) channel.write(commands.join(""));
    for (const [index, command] of commands.entries()) {
      if (!isPipelined) channel.write(command);
      const reply = await channel.read();
      if (isRefusal(reply, command === DATA ? 3 : 2)) {
        if (isPipelined) await skip(commands.length - 1 - index);
        return { command, reply };
      }
    }
  }

  /** Reads the replies to commands that follow one that was refused. */
  async function skip(count: number): Promise<void> {
    try {
      for (; count > 0; count--) {
        const { code } = await channel.read();
        if (code === 354) channel.destroy(new MailerError("The mail relay awaits a message"));
      }
    } catch {
      // The relay may close the connection after what it refused, which is known.
    }
  }

  /** Tells a refusal from success; throws where the relay as a whole refuses. */
  function isRefusal(reply: Reply, success: number): boolean {
    const { code } = reply;
    if (Math.floor(code / 100) === success) return false;
    isDismissed = code === 421;
    // 530: it asks for a login (RFC 4954, section 6).
    if (isDismissed || code === 530 || code < 400) throw toMailerError("refused to go on", reply);
    return true;
  }

  async function transmit({ from, to, message }: Envelope): Promise<SendOutcome> {
    isContentSent = false;
    if (message.length > maxBytes && maxBytes > 0) return TOO_LARGE;
    const size = extensions.has("SIZE") ? ` SIZE=${message.length}` : "";
    const sender = `MAIL FROM:<${from}>${size}\r\n`;
    const recipient = `RCPT TO:<${to}>\r\n`;
    const reset = isInTransaction ? ["RSET\r\n"] : [];
    isInTransaction = true;
    const refused = await send([...reset, sender, recipient, DATA]);
    if (refused !== undefined) {
      const { command, reply } = refused;
      const isOfThisMail = command === recipient || command === DATA || reply.code === 552;
      if (!isOfThisMail) throw toMailerError("refused the sender", reply);
      return toOutcome(reply);
    }
    isContentSent = true;
    // RFC 5321, section 4.5.2: a line with nothing but a dot ends the message.
    channel.write(`${message.replace(/^\./gm, "..")}.\r\n`);
    const reply = await channel.read(PATIENCE_AT_THE_END);
    isInTransaction = false;
    return isRefusal(reply, 2) ? toOutcome(reply) : SENT;
  }

  return {
    get isReusable() {
      return channel.isQuiet;
    },
    get isStale() {
      return !isContentSent && (isDismissed || channel.isHungUp);
    },
    async transmit(envelope) {
      try {
        return await transmit(envelope);
      } catch (error) {
        channel.destroy(error as Error);
        throw error;
      }
    },
    quit: () => channel.end("QUIT\r\n"),
  };
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
  { user, password }: NonNullable<SmtpTarget["login"]>,
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
  return Buffer.from(text).toString("base64");
}

async function ask(channel: Channel, command: string): Promise<Reply> {
  channel.write(`${command}\r\n`);
  return await channel.read();
}

function requireCode(code: number, reply: Reply, fault: string): void {
  if (reply.code !== code) throw toMailerError(fault, reply);
}
