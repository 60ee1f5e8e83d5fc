import { isLimit } from "../../../model/deliveries/refusals.ts";
import { MailerError, type SendOutcome } from "../mailer.ts";
import type { Connection } from "./connection.ts";
import { greet, type Greeting } from "./greeting.ts";
import { type SmtpReply, toMailerError, toOutcome } from "./replies.ts";

/** A message with the addresses for the relay. */
export interface Envelope {
  readonly from: string;
  readonly to: string;
  /** ASCII, with CRLF as line endings; starts with a header field. */
  readonly message: string;
}

/** A connection to a relay that sends one mail at a time. */
export interface Session {
  /** Whether it can send another mail. */
  readonly isReusable: boolean;
  /** Sends a mail, as `Mailer.send` does. */
  transmit(envelope: Envelope): Promise<SendOutcome>;
  /** Closes the connection as if the pending reply had reached its deadline. */
  giveUp(): void;
  /** Sends QUIT and closes the connection. */
  quit(): void;
}

/** A refused command with its reply. */
interface Refused {
  readonly command: string;
  readonly reply: SmtpReply;
}

const DATA = "DATA\r\n";
const SENT: SendOutcome = { state: "sent" };
const TOO_LARGE: SendOutcome = {
  state: "refused",
  code: "5.3.4",
  text: "The mail is larger than the relay takes",
};
// The relay may have sent the mail all the same; the limit on attempts also limits the copies.
const NO_REPLY: SendOutcome = {
  state: "unknown",
  code: "4.4.2",
  text: "The relay did not confirm that it took the mail",
};
// RFC 5321, section 4.5.3.2.6: after a time-out here, the relay may have sent the mail all the
// same.
const MESSAGE_TIMEOUT_FACTOR = 10;

/** Names what a relay refuses at MAIL. */
function describeRefusal(reply: SmtpReply): string {
  const outcome = toOutcome(reply);
  return reply.code === 421 || "code" in outcome && isLimit(outcome)
    ? "takes no more for now"
    : "refused the sender";
}

/** Starts a session on a new connection, as {@linkcode greet} does. */
export async function startSmtpSession(
  connection: Connection,
  greeting: Greeting,
): Promise<Session> {
  const extensions = await greet(connection, greeting);
  const isPipelined = extensions.has("PIPELINING");
  const maxBytes = Number(extensions.get("SIZE"));
  let isInTransaction = false;
  let hasCarried = false;

  /** Sends commands until one is refused, and returns that one. */
  async function send(commands: readonly string[]): Promise<Refused | undefined> {
    if (isPipelined) connection.write(commands.join(""));
    for (const [index, command] of commands.entries()) {
      if (!isPipelined) connection.write(command);
      const reply = await connection.read(command.slice(0, 4));
      if (isRefusal(reply, command === DATA ? 3 : 2)) {
        if (isPipelined) await skip(commands.length - 1 - index);
        return { command, reply };
      }
    }
  }

  /** Reads the replies to the commands after a refused one. */
  async function skip(count: number): Promise<void> {
    try {
      for (; count > 0; count--) {
        const { code } = await connection.read();
        if (code === 354) connection.destroy(new MailerError("The mail relay awaits a message"));
      }
    } catch {
      // The relay may close the connection after its refusal, which is already known.
    }
  }

  /** Tells a refusal from success; throws if the reply is neither. */
  function isRefusal(reply: SmtpReply, success: number): boolean {
    const kind = Math.floor(reply.code / 100);
    if (kind === success) return false;
    if (kind < 4) throw toMailerError("does not follow SMTP", reply);
    return true;
  }

  async function transmit({ from, to, message }: Envelope): Promise<SendOutcome> {
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
      if (!isOfThisMail) throw toMailerError(describeRefusal(reply), reply);
      // Relays close a connection so when it has carried many mails; the next one takes this mail.
      if (reply.code === 421 && hasCarried) throw toMailerError("closes the connection", reply);
      return toOutcome(reply);
    }
    // RFC 5321, section 4.5.2: a line with only a dot ends the message, so dots at the start of
    // lines are doubled.
    connection.write(`${message.replaceAll("\n.", "\n..")}.\r\n`);
    const reply = await connection.read("the message", MESSAGE_TIMEOUT_FACTOR).catch((error) => {
      connection.destroy(error);
    });
    if (reply === undefined) return NO_REPLY;
    isInTransaction = false;
    if (isRefusal(reply, 2)) return toOutcome(reply);
    hasCarried = true;
    return SENT;
  }

  return {
    get isReusable() {
      return connection.isQuiet;
    },
    async transmit(envelope) {
      try {
        return await transmit(envelope);
      } catch (error) {
        connection.destroy(error as Error);
        throw error;
      }
    },
    giveUp: connection.giveUp,
    quit: () => connection.end("QUIT\r\n"),
  };
}
