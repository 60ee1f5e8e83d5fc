import { parseEmailAddress } from "../../model/values/email_address.ts";
import { parseUserName } from "../../model/values/text.ts";
import { Refusal } from "../../model/values/refusal.ts";
import type { Mailbox } from "./mailer.ts";

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
