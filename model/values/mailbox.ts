import { parseEmailAddress } from "./email_address.ts";
import { Refusal } from "./refusal.ts";
import { parseUserName } from "./text.ts";

/** The name and address of a sender. */
export interface Mailbox {
  /** The name for people to read; empty if there is none. */
  readonly name: string;
  /** The e-mail address, in normal form. */
  readonly address: string;
}

const QUOTED = /^"((?:[^"\\]|\\.)*)"\s*<([^<>]*)>$/;
const UNQUOTED = /^([^<>]*)<([^<>]*)>$/;

/**
 * Accepts a mailbox as people write it: `ann@example.com`, `Ann Lee <ann@example.com>` or `"Lee,
 * Ann" <ann@example.com>`. Quotes in a name need no escape. Normalises the name as names of users
 * are, and the address as `parseEmailAddress` does.
 */
export function parseMailbox(text: string): Mailbox | Refusal {
  const trimmed = text.trim();
  const [, quoted, quotedAddress] = QUOTED.exec(trimmed) ?? [];
  const [, plain = "", plainAddress = trimmed] = UNQUOTED.exec(trimmed) ?? [];
  if (plainAddress === trimmed && quotedAddress === undefined && /[\s<>]/.test(trimmed)) {
    return new Refusal("invalid_email", 'is not like "Acme <news@example.com>", nor an address');
  }
  const name = parseUserName(quoted?.replace(/\\(.)/g, "$1") ?? plain);
  if (name instanceof Refusal) return name;
  const address = parseEmailAddress(quotedAddress ?? plainAddress);
  return address instanceof Refusal ? address : { name, address };
}

/** Writes a mailbox in the form that {@linkcode parseMailbox} accepts. */
export function writeMailbox({ name, address }: Mailbox): string {
  if (name === "") return address;
  const phrase = /[<>"\\]/.test(name) ? `"${name.replace(/["\\]/g, "\\$&")}"` : name;
  return `${phrase} <${address}>`;
}
