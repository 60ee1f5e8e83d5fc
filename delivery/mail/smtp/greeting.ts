import { encodeBase64 } from "../../../model/crypto/encoding.ts";
import { MailerError } from "../mailer.ts";
import type { Connection } from "./connection.ts";
import { type SmtpReply, toMailerError } from "./replies.ts";
import type { SmtpRelay, TokenLogin } from "./relay.ts";

/** Service extensions: names in capitals, each with its parameters (RFC 5321, section 4.1.1.1). */
export type Extensions = ReadonlyMap<string, string>;

/** Options of {@linkcode greet}. */
export interface Greeting extends Pick<SmtpRelay, "tls" | "login"> {
  /**
   * The name of this host. Google's relay refuses an IP address (RFC 5321, section 4.1.4, asks for
   * a name).
   */
  readonly hello: string;
}

/**
 * Greets a relay, starts TLS if required, logs in, and returns the relay's extensions. Rejects with
 * a `MailerError` if any step fails.
 */
export async function greet(
  connection: Connection,
  { tls, login, hello }: Greeting,
): Promise<Extensions> {
  requireCode(220, await connection.read(), "takes no connections");
  let extensions = await sayHello(connection, hello);
  if (tls === "starttls") {
    if (!extensions.has("STARTTLS")) {
      throw new MailerError("The mail relay offers no TLS: it does not know STARTTLS");
    }
    requireCode(220, await connection.startTls(), "does not start TLS");
    extensions = await sayHello(connection, hello);
  }
  if (login !== undefined) await logIn(connection, extensions, login);
  return extensions;
}

async function sayHello(connection: Connection, hello: string): Promise<Extensions> {
  const reply = await ask(connection, `EHLO ${hello}`);
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
  login: NonNullable<SmtpRelay["login"]>,
): Promise<void> {
  const mechanisms = extensions.get("AUTH")?.split(" ") ?? [];
  let reply: SmtpReply;
  if ("getToken" in login) {
    return await logInByToken(connection, mechanisms, login);
  }
  const { user, password } = login;
  if (mechanisms.includes("PLAIN")) {
    reply = await ask(connection, `AUTH PLAIN ${encodeBase64(`\0${user}\0${password}`)}`);
  } else if (mechanisms.includes("LOGIN")) {
    reply = await ask(connection, "AUTH LOGIN");
    for (const text of [user, password]) {
      if (reply.code === 334) reply = await ask(connection, encodeBase64(text), "AUTH");
    }
  } else {
    throw new MailerError("The mail relay offers no login by PLAIN or LOGIN");
  }
  requireLogin(reply, password, `\0${user}\0${password}`);
}

async function logInByToken(
  connection: Connection,
  mechanisms: readonly string[],
  { user, getToken, forgetToken }: TokenLogin,
): Promise<void> {
  if (!mechanisms.includes("XOAUTH2")) {
    throw new MailerError("The mail relay offers no login by XOAUTH2");
  }
  const token = await getToken();
  const credentials = `user=${user}\x01auth=Bearer ${token}\x01\x01`;
  let reply = await ask(connection, `AUTH XOAUTH2 ${encodeBase64(credentials)}`);
  // After a challenge with details, an empty line asks for the actual reply.
  if (reply.code === 334) reply = await ask(connection, "", "AUTH");
  if (reply.code !== 235) forgetToken();
  requireLogin(reply, token, credentials);
}

/** Requires that a login succeeded; its refusal is told without the secrets that it may repeat. */
function requireLogin(reply: SmtpReply, ...secrets: readonly string[]): void {
  if (reply.code === 235) return;
  const hidden = secrets.flatMap((secret) => [secret, encodeBase64(secret)])
    .filter((secret) => secret !== "");
  const lines = reply.lines.map((line) =>
    hidden.reduce((text, secret) => text.replaceAll(secret, "…"), line)
  );
  throw toMailerError("refused the login", { ...reply, lines });
}

async function ask(
  connection: Connection,
  command: string,
  name: string = command.split(" ")[0],
): Promise<SmtpReply> {
  connection.write(`${command}\r\n`);
  return await connection.read(name);
}

function requireCode(code: number, reply: SmtpReply, fault: string): void {
  if (reply.code !== code) throw toMailerError(fault, reply);
}
