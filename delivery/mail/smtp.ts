/**
 * Mail through a relay by SMTP (RFC 5321, RFC 6409).
 *
 * @module
 */
import { parseEmailAddress } from "../../model/values/email_address.ts";
import {
  checkFunction,
  checkNumber,
  checkOptionNames,
  checkOptions,
  type OptionDeclarations,
  optionError,
} from "../../model/options.ts";
import { type Connection, openConnection } from "./smtp/connection.ts";
import { type Envelope, type Session, startSmtpSession } from "./smtp/session.ts";
import { createTokenSource, type OAuthOptions } from "./smtp/oauth.ts";
import { parseSmtpUrl } from "./smtp/relay.ts";
import {
  type Mail,
  type Mailbox,
  type Mailer,
  MailerError,
  type SendOptions,
  type SendOutcome,
} from "./mailer.ts";
import { composeMessage } from "./message.ts";

export { MailerError };
export type { Mail, Mailbox, Mailer, OAuthOptions, SendOptions, SendOutcome };

/** Options of {@linkcode openSmtpMailer}. */
export interface SmtpMailerOptions {
  /** The password, unless it is in the URL. */
  readonly password?: string | undefined;
  /** Options for a login with OAuth 2 tokens (XOAUTH2) instead of a password. */
  readonly oauth?: OAuthOptions | undefined;
  /** The name of this host for EHLO. Default: the domain of the sender. */
  readonly hello?: string | undefined;
  /**
   * The time limit for a connection with its greeting, for a handshake and for each reply, in
   * milliseconds, from 1 to 200,000,000; ten times as long for the reply to the message. Default:
   * 60,000.
   */
  readonly timeoutMs?: number | undefined;
  /**
   * The time that an idle connection stays open, in milliseconds, from 1 to 2,000,000,000. Default:
   * 30,000.
   */
  readonly idleTimeoutMs?: number | undefined;
  /** The certificate authorities to trust. */
  readonly tls?: SmtpTlsOptions | undefined;
  /** Returns the time for the `Date` of mails. Default: the system's clock. */
  readonly now?: (() => Date) | undefined;
}

/** The certificate authorities to trust for the relay's certificate. */
export interface SmtpTlsOptions {
  /** The certificates of the authorities to trust, as PEM, instead of those of the runtime. */
  readonly ca?: string | undefined;
}

const OAUTH_OPTIONS: readonly (keyof OAuthOptions)[] = ["tokenUrl", "clientId", "clientSecret"];
// The last label of a host name is not a number, unlike that of an IP address.
const HOST_NAME =
  /^(?=.{1,255}$)(?:[a-z\d](?:[a-z\d-]{0,61}[a-z\d])?\.)*(?!\d+$)[a-z\d](?:[a-z\d-]{0,61}[a-z\d])?$/i;

/** A mail to send, with its signal. */
interface Sending extends SendOptions {
  readonly envelope: Envelope;
  readonly isWanted: () => Promise<boolean>;
}

// Timers hold at most 31 bits of milliseconds, and one runs for ten times `timeoutMs`.
const OPTIONS: OptionDeclarations<SmtpMailerOptions> = {
  password: () => {},
  oauth: (oauth) => checkOptionNames(oauth as OAuthOptions, OAUTH_OPTIONS),
  hello(name, option) {
    if (HOST_NAME.test(`${name}`)) return;
    throw optionError(option, "give a name like updates.example.com");
  },
  timeoutMs: checkNumber(1, 200_000_000),
  idleTimeoutMs: checkNumber(1, 2_000_000_000),
  tls: (tls) => checkOptionNames(tls as SmtpTlsOptions, ["ca"]),
  now: checkFunction,
};

/**
 * Creates a mailer for the relay in a URL. `smtp://USER:PASSWORD@HOST:PORT` starts TLS by STARTTLS,
 * on port 587 by default; `smtps://…` starts with TLS, on port 465 by default. User and password
 * are percent-encoded, and optional.
 *
 * TLS is required, and the relay's certificate must match the host of the URL, unless the URL ends
 * with `?tls=off`. Each mail in flight has its own connection, which is kept for later mails.
 *
 * Throws a `TypeError` or `RangeError` for a bad URL or option. `send` rejects with a `TypeError`
 * for a mail that can't be written, such as one with a line break in its subject.
 *
 * @example Usage
 * ```ts
 * import { openSmtpMailer } from "@boardcast/boardcast/smtp";
 *
 * const mailer = openSmtpMailer("smtp://boardcast@mail.example.com", { password: "secret" });
 * await mailer.close();
 * ```
 */
export function openSmtpMailer(url: string, options: SmtpMailerOptions = {}): Mailer {
  checkOptions(options, OPTIONS);
  const { timeoutMs = 60_000, idleTimeoutMs = 30_000, now = () => new Date() } = options;
  const tokens = options.oauth && createTokenSource(options.oauth);
  const relay = parseSmtpUrl(url, { password: options.password, tokens });
  const connections = new Set<Connection>();
  const idle = new Map<Session, ReturnType<typeof setTimeout>>();
  let isClosed = false;

  async function connect(hello: string, signal: AbortSignal | undefined): Promise<Session> {
    if (isClosed) throw new MailerError("The mailer is closed");
    const connection = openConnection(relay, { timeoutMs, ca: options.tls?.ca });
    connections.add(connection);
    connection.closed.then(() => connections.delete(connection));
    try {
      const greeting = { ...relay, hello };
      return await untilAborted(signal, connection, startSmtpSession(connection, greeting));
    } catch (error) {
      connection.destroy(error as Error);
      throw error;
    }
  }

  /** Takes the most recently used connection, so that surplus ones expire. */
  function takeIdle(): Session | undefined {
    for (const session of [...idle.keys()].reverse()) {
      release(session);
      if (session.isReusable) return session;
      session.quit();
    }
  }

  function release(session: Session): Session {
    clearTimeout(idle.get(session));
    idle.delete(session);
    return session;
  }

  async function transmit(
    session: Session,
    { envelope, isWanted, signal }: Sending,
  ): Promise<SendOutcome> {
    try {
      if (!await isWanted()) return { state: "skipped" };
      return await untilAborted(signal, session, session.transmit(envelope));
    } finally {
      if (session.isReusable) {
        idle.set(
          session,
          setTimeout(() => release(session).quit(), idleTimeoutMs),
        );
      } else session.quit();
    }
  }

  async function send(sending: Sending): Promise<SendOutcome> {
    const { signal, envelope: { from } } = sending;
    const hello = options.hello ?? from.slice(from.lastIndexOf("@") + 1);
    for (let kept = takeIdle();; kept = undefined) {
      try {
        return await transmit(kept ?? await connect(hello, signal), sending);
      } catch (error) {
        // Relays close connections that were idle for long or have carried many mails, so a kept
        // connection that fails is replaced once.
        const isFinal = kept === undefined || signal?.aborted;
        if (isFinal || !(error instanceof MailerError)) throw error;
      }
    }
  }

  return {
    send: async (mail, isWanted = () => Promise.resolve(true), { signal } = {}) =>
      await send({ envelope: toEnvelope(mail, now()), isWanted, signal }),
    async close() {
      isClosed = true;
      for (const session of idle.keys()) release(session).quit();
      const closed = [...connections].map((connection) => connection.closed);
      for (const connection of connections) {
        connection.destroy(new MailerError("The mailer is closed"));
      }
      await Promise.all(closed);
    },
  };
}

/** Awaits work on a connection, and gives the connection up when the signal is aborted. */
async function untilAborted<T>(
  signal: AbortSignal | undefined,
  { giveUp }: Pick<Connection, "giveUp">,
  work: Promise<T>,
): Promise<T> {
  signal?.addEventListener("abort", giveUp);
  if (signal?.aborted) giveUp();
  return await work.finally(() => signal?.removeEventListener("abort", giveUp));
}

function toEnvelope(mail: Mail, date: Date): Envelope {
  const { from, to } = mail.envelope ?? { from: mail.from.address, to: mail.to };
  for (const address of [mail.from.address, mail.to, from, to]) {
    if (parseEmailAddress(address) !== address) {
      throw new TypeError("Cannot send mail from or to an address that is not in normal form");
    }
  }
  return { from, to, message: composeMessage(mail, date) };
}
