import { connect, isIP, type Socket } from "node:net";
import { connect as connectTls, type ConnectionOptions as TlsOptions } from "node:tls";
import { lookupBy, resolveRelay } from "../../resolver.ts";
import { MailerError } from "../mailer.ts";
import { readReply, type SmtpReply } from "./replies.ts";
import type { SmtpRelay } from "./relay.ts";

/** Options of {@linkcode openConnection}. */
export interface ConnectionOptions {
  /** The limit for connecting, for a handshake and for each reply. */
  readonly timeoutMs: number;
  /** The certificate authorities to trust, as PEM, instead of those of the runtime. */
  readonly ca?: string | undefined;
}

/** A connection to a relay, as commands and replies. After a failure, all its methods reject. */
export interface Connection {
  /** Whether it is open, is not closing, and has no unread text from the relay. */
  readonly isQuiet: boolean;
  /** Resolves once the connection is closed. */
  readonly closed: Promise<void>;
  write(text: string): void;
  /**
   * Resolves with the next reply: to a command like `RCPT`, or the greeting. The deadline is
   * `timeoutFactor` times the usual one.
   */
  read(command?: string, timeoutFactor?: number): Promise<SmtpReply>;
  /** Closes the connection as if the pending `read` had reached its deadline. */
  giveUp(): void;
  /**
   * Sends STARTTLS and resolves with the reply. If that is 220, the connection is encrypted by
   * then. Rejects if the relay sent more plain text after the reply.
   */
  startTls(): Promise<SmtpReply>;
  /** Sends a last text and closes an open connection. */
  end(text: string): void;
  /**
   * Closes the connection immediately, unless it is closing; a pending `read` rejects with this
   * error.
   */
  destroy(error: Error): void;
}

// A reply to EHLO has a few hundred characters.
const MAX_UNREAD = 65_536;
// Matches a line that can't be part of a reply. One or two characters may still become a reply
// code.
const NO_REPLY = /(?:^|\n)(?![2-5]\d\d|[^\n]{0,2}(?:\n|$))/;
const GRACE_MS = 1_000;
const BEFORE_GREETING = "before its greeting";
// Errors about the certificate of an authority that is not known; Deno's have no code.
const UNKNOWN_AUTHORITY =
  /SELF_SIGNED|UNABLE_TO_(?:GET_ISSUER|VERIFY)|UnknownIssuer|unknown issuer/i;
// A relay that offers STARTTLS answers in plain text.
const NO_TLS = /WRONG_VERSION_NUMBER|InvalidContentType|corrupt message/i;

/** Opens a connection; the first reply can be awaited right away. */
export function openConnection(relay: SmtpRelay, options: ConnectionOptions): Connection {
  const { host, port } = relay;
  const { timeoutMs } = options;
  const tls: TlsOptions = {
    host,
    // RFC 6066, section 3: a server name is never an IP address.
    ...(isIP(host) === 0 && { servername: host }),
    ...(options.ca !== undefined && { ca: options.ca }),
    rejectUnauthorized: true,
  };
  let socket: Socket;
  let unread = "";
  let failure: Error | undefined;
  let step = "while connecting";
  let notify = () => {};
  let setClosed = () => {};
  const closed = new Promise<void>((resolve) => setClosed = resolve);

  function adopt(next: Socket): void {
    socket = next;
    socket.on("data", take);
    socket.on("error", (error) => fail(toMailerError(error)));
    socket.once("close", () => {
      if (socket !== next) return;
      fail(new MailerError(`The mail relay closed the connection${hint()}`));
      setClosed();
    });
  }

  function take(chunk: Uint8Array): void {
    unread += new TextDecoder().decode(chunk);
    if (NO_REPLY.test(unread) || unread.length > MAX_UNREAD) {
      fail(new MailerError("The mail relay answered something that is not SMTP"));
    }
    notify();
  }

  function fail(error: Error): void {
    failure ??= error;
    socket.destroy();
    notify();
  }

  /**
   * Resolves with the first result of `find` that is not `undefined`; calls it again after each
   * event.
   */
  function until<T>(find: () => T | undefined, timeoutFactor = 1): Promise<T> {
    return new Promise((resolve, reject) => {
      const timer = setTimeout(giveUp, timeoutMs * timeoutFactor);
      notify = () => {
        const found = find();
        if (found === undefined && failure === undefined) return;
        notify = () => {};
        clearTimeout(timer);
        if (found !== undefined) resolve(found);
        else reject(failure);
      };
      notify();
    });
  }

  function giveUp(): void {
    const problem = `The mail relay did not answer in time: it was silent ${step}`;
    fail(new MailerError(`${problem}${hint()}`));
  }

  /** Returns advice for a relay that does not greet: it may wait for TLS to start. */
  function hint(): string {
    const mayWait = step === BEFORE_GREETING && relay.tls !== "implicit";
    return mayWait ? "; where its port expects TLS from the start (465), try smtps://" : "";
  }

  function takeReply(): SmtpReply | undefined {
    const found = readReply(unread);
    unread = unread.slice(found?.length ?? 0);
    return found?.reply;
  }

  function encrypt(onSecure: () => void): void {
    socket.off("data", take);
    adopt(connectTls({ ...tls, socket }, () => {
      onSecure();
      notify();
    }));
  }

  const to = { host, port, lookup: lookupBy(resolveRelay) };
  const first = relay.tls === "implicit" ? connectTls({ ...tls, ...to }) : connect(to);
  // Nagle's algorithm would delay the end of a message until its start is acknowledged.
  adopt(first.setNoDelay(true));
  first.once("connect", () => step = BEFORE_GREETING);
  return {
    get isQuiet() {
      return failure === undefined && unread === "";
    },
    closed,
    write: (text) => void socket.write(text),
    read(command, timeoutFactor) {
      if (command !== undefined) step = `after ${command}`;
      return until(takeReply, timeoutFactor);
    },
    giveUp,
    async startTls() {
      let isSecure: true | undefined;
      let isStarted = false;
      socket.write("STARTTLS\r\n");
      step = "after STARTTLS";
      const reply = await until(() => {
        const reply = takeReply();
        // An attacker may have inserted text before the handshake (RFC 3207, section 6).
        isStarted = reply?.code === 220 && unread === "";
        // This runs within the event that brought the reply: later, Deno 2.6 would continue to read
        // plain text.
        if (isStarted) encrypt(() => isSecure = true);
        return reply;
      });
      if (reply.code !== 220) return reply;
      if (!isStarted) fail(new MailerError("The mail relay spoke before TLS was started"));
      await until(() => isSecure);
      return reply;
    },
    end(text) {
      if (failure !== undefined) return;
      failure = new MailerError("The connection to the mail relay is closed");
      socket.end(text);
      const timer = setTimeout(() => socket.destroy(), GRACE_MS);
      closed.then(() => clearTimeout(timer));
    },
    destroy(error) {
      if (failure === undefined) fail(error);
    },
  };
}

function toMailerError(cause: NodeJS.ErrnoException): MailerError {
  const reason = cause.code ?? cause.message;
  const said = `${cause.code} ${cause.message}`;
  const cure = UNKNOWN_AUTHORITY.test(said)
    ? "; name the certificate of its authority in NODE_EXTRA_CA_CERTS"
    : NO_TLS.test(said)
    ? "; where its port does not start with TLS (587, 25), try smtp://"
    : "";
  return new MailerError(`Cannot use the connection to the mail relay: ${reason}${cure}`, {
    cause,
  });
}
