import { toAnonymousLine } from "../../../model/deliveries/mail_outcome.ts";
import { MailerError, type SendOutcome } from "../mailer.ts";

/** A reply of a relay (RFC 5321, section 4.2). */
export interface SmtpReply {
  readonly code: number;
  /** The text of each of its lines. */
  readonly lines: readonly string[];
}

const REPLY = /^(?:\d{3}-[^\n]*\n)*(\d{3})(?: [^\n]*)?\r?\n/;
const STATUS = /^[245]\.\d{1,3}\.\d{1,3}(?= |$)/;
const LINE_START = /^\d{3}[ -]?/;

/** Finds the reply that a text starts with; returns `undefined` if it is not complete. */
export function readReply(text: string): { reply: SmtpReply; length: number } | undefined {
  const [whole, code] = REPLY.exec(text) ?? [];
  if (whole === undefined) return undefined;
  const lines = whole.trimEnd().split(/\r?\n/).map((line) => line.replace(LINE_START, ""));
  return { reply: { code: Number(code), lines }, length: whole.length };
}

/** Says what a recipient's mail came to by a reply of 4xx or 5xx. */
export function toOutcome({ code, lines }: SmtpReply): SendOutcome {
  const [status] = STATUS.exec(lines[0]) ?? [];
  return {
    state: code < 500 ? "deferred" : "refused",
    code: status ?? `${code}`,
    text: toText(lines),
  };
}

/** Makes the error for a reply by which the relay can't be used; `what` follows its name. */
export function toMailerError(what: string, reply: SmtpReply): MailerError {
  return new MailerError(`The mail relay ${what}: ${toCodes(reply)} ${toText(reply.lines)}`.trim());
}

/** Returns the reply code, with the enhanced status code if there is one. */
export function toCodes({ code, lines }: SmtpReply): string {
  const [status] = STATUS.exec(lines[0]) ?? [];
  return status === undefined ? `${code}` : `${code} ${status}`;
}

/** Joins lines for a log or a terminal, without codes, addresses and control characters. */
function toText(lines: readonly string[]): string {
  return toAnonymousLine(lines.map((line) => line.replace(STATUS, "").trim()).join(" "));
}
